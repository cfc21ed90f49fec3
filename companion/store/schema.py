"""The tables of the store. Only what was laid, who plays and who is connected is kept; nothing derived."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)

# The newest revision under migrations/versions, named here so that a start need not import Alembic.
HEAD = "0003"
VERSION_TABLE = "companion_version"
# "COMP", in the header of every SQLite file of ours.
APPLICATION_ID = 0x434F4D50

CODE_LENGTH = 32
KEY_LENGTH = 64

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

# `version` repeats the entry count so that a poll costs one indexed row; both change in one transaction.
GAME_TABLE = Table(
    "game_table",
    METADATA,
    Column("id", String(CODE_LENGTH), primary_key=True),
    Column("watch", String(CODE_LENGTH), nullable=False),
    Column("game", String(40), nullable=False),
    Column("players", Text, nullable=False),
    Column("setup", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("origin", String(KEY_LENGTH)),
    Column("settings", Text, nullable=False, server_default="{}"),
    Column("edition", Integer, nullable=False, server_default="0"),
    Column("active_at", Double, nullable=False),
    Column("binned_at", Double),
    UniqueConstraint("watch"),
    UniqueConstraint("origin"),
    sqlite_with_rowid=False,
)

# The key comes first in the unique index, so that it also finds an imported record's table by one of its keys.
ENTRY = Table(
    "entry",
    METADATA,
    Column("table_id", String(CODE_LENGTH), ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("key", String(KEY_LENGTH), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Double),
    Column("by_seat", SmallInteger),
    UniqueConstraint("key", "table_id"),
    sqlite_with_rowid=False,
)

DEVICE = Table(
    "device",
    METADATA,
    Column("device", String(KEY_LENGTH), primary_key=True),
    Column("table_id", String(CODE_LENGTH), ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
    Column("role", String(8), nullable=False),
    Column("seat", SmallInteger),
    Column("seen_at", Double, nullable=False),
    CheckConstraint("role IN ('play', 'watch', 'out')", name="role"),
    Index(None, "table_id"),
    sqlite_with_rowid=False,
)

# A code to be typed leads to a table for some minutes; a table shows one for each role.
JOIN_CODE = Table(
    "join_code",
    METADATA,
    Column("code", String(8), primary_key=True),
    Column("table_id", String(CODE_LENGTH), ForeignKey("game_table.id", ondelete="CASCADE"), nullable=False),
    Column("role", String(8), nullable=False),
    Column("until", Double, nullable=False),
    CheckConstraint("role IN ('play', 'watch')", name="role"),
    UniqueConstraint("table_id", "role"),
    sqlite_with_rowid=False,
)

# The addresses, of either kind, that a table had before a phone was put out.
MOVED = Table(
    "moved",
    METADATA,
    Column("old", String(CODE_LENGTH), primary_key=True),
    Column("table_id", String(CODE_LENGTH), ForeignKey("game_table.id", ondelete="CASCADE"), nullable=False),
    Index(None, "table_id"),
    sqlite_with_rowid=False,
)

# How often something was done until a time, by all processes together.
TALLY = Table(
    "tally",
    METADATA,
    Column("name", String(KEY_LENGTH), primary_key=True),
    Column("used", Integer, nullable=False),
    Column("until", Double, nullable=False),
    sqlite_with_rowid=False,
)
