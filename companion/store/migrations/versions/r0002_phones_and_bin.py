"""Phones at a table, its settings, imports, the bin."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds what several phones, imports and a bin need; a table was last active when its last entry came."""
    with op.batch_alter_table("game_table", table_kwargs={"sqlite_with_rowid": False}) as batch:
        batch.add_column(sa.Column("origin", sa.String(64)))
        batch.add_column(sa.Column("settings", sa.Text, nullable=False, server_default="{}"))
        batch.add_column(sa.Column("edition", sa.Integer, nullable=False, server_default="0"))
        batch.add_column(sa.Column("active_at", sa.Double))
        batch.add_column(sa.Column("binned_at", sa.Double))
    op.execute(
        "UPDATE game_table SET active_at = coalesce("
        "(SELECT max(entry.at) FROM entry WHERE entry.table_id = game_table.id), created_at)"
    )
    with op.batch_alter_table("game_table", table_kwargs={"sqlite_with_rowid": False}) as batch:
        batch.alter_column("active_at", existing_type=sa.Double(), nullable=False)
        batch.create_unique_constraint("uq_game_table_origin", ["origin"])
    op.create_table(
        "device",
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("seat", sa.SmallInteger),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.CheckConstraint("role IN ('play', 'watch', 'out')", name=op.f("ck_device_role")),
        sa.ForeignKeyConstraint(["table_id"], ["game_table.id"], name="fk_device_table_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("device", "table_id", name="pk_device"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_device_table_id", "device", ["table_id"])
