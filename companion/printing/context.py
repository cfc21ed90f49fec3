"""What a sheet is filled with."""

from dataclasses import dataclass
from datetime import date

from companion.engine.record import Record
from companion.printing.options import NAME_LENGTH, PrintRefused


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that differs from one print to the next beside its options.

    `app` is the address that a QR card opens, `table` that of one table, for looking on: paper lies about. `record`
    and `day` belong to a filled sheet. Raises PrintRefused for a name that is too long.
    """

    app: str | None = None
    table: str | None = None
    record: Record | None = None
    day: date | None = None

    def __post_init__(self) -> None:
        for name in self.record.players if self.record else ():
            if len(name) > NAME_LENGTH:
                raise PrintRefused("print.refused.name", name=name, limit=NAME_LENGTH)
