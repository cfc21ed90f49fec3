"""The forms. Each carries the form token; those that write to a log also the phone's key and the version it saw."""

import json
from typing import Any

from flask import request
from flask_wtf import FlaskForm
from wtforms import HiddenField, IntegerField
from wtforms.validators import InputRequired, Length, NumberRange, Regexp

from companion.engine.findings import RecordError
from companion.engine.record import ID_LENGTH, MOST_ENTRIES

_KEY = r"[A-Za-z0-9_-]+\Z"


class Form(FlaskForm):  # type: ignore[misc]
    """A form whose token has been checked before the view began (guard.register)."""

    class Meta:
        csrf = False


class KeyForm(Form):
    """A form whose sending twice must count once."""

    key = HiddenField(validators=[InputRequired(), Length(max=ID_LENGTH), Regexp(_KEY)])

    @property
    def mark(self) -> str:
        """The key that the phone made."""
        return self.key.data or ""


class EntryForm(KeyForm):
    """One entry behind the version that the phone saw."""

    expected = IntegerField(validators=[NumberRange(0, MOST_ENTRIES)])

    @property
    def seen(self) -> int:
        """The version that the phone saw."""
        return self.expected.data or 0

    def body(self) -> dict[str, Any]:
        """Returns the entry: a choice made in several steps sends its parts one by one. Raises RecordError."""
        sent = request.form.getlist
        whole: dict[str, Any] = {}
        # `alone` is sent by one phone where two should agree. A key of a card pad says which `card`; what its pad asks
        # for, the `turn`, stands beside all of them.
        for part in sent("entry") or sent("alone") or sent("turn") + sent("card"):
            try:
                read = json.loads(part)
            except (ValueError, RecursionError):
                raise RecordError("not-json", line=1, column=1) from None
            if not isinstance(read, dict):
                raise RecordError("not-an-object", value=str(read)[:40])
            whole |= read
        return whole
