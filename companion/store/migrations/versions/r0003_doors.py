"""Codes to be typed, addresses that tables had before, and how often something was tried."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds what leads phones to a table and what keeps strangers from guessing the way."""
    op.create_table(
        "join_code",
        sa.Column("code", sa.String(8), nullable=False),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.CheckConstraint("role IN ('play', 'watch')", name=op.f("ck_join_code_role")),
        sa.ForeignKeyConstraint(["table_id"], ["game_table.id"], name="fk_join_code_table_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("code", name="pk_join_code"),
        sa.UniqueConstraint("table_id", "role", name="uq_join_code_table_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "moved",
        sa.Column("old", sa.String(32), nullable=False),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["game_table.id"], name="fk_moved_table_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("old", name="pk_moved"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_moved_table_id", "moved", ["table_id"])
    op.create_table(
        "tally",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_tally"),
        sqlite_with_rowid=False,
    )
