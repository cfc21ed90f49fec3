"""Which characters the printed fonts hold, and what becomes of the others."""

import json
import re
import unicodedata
from functools import cache

from companion.resources import data_dir

GETA = "〓"


@cache
def _strange() -> re.Pattern[str]:
    with (data_dir("printables") / "fonts" / "characters.json").open(encoding="ascii") as file:
        held = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in json.load(file))
    return re.compile(f"[^\n{held}]")


def preflight(text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the text as it can be printed and the characters that cannot be, which a 〓 stands for.

    What has no shape of its own (control and format characters, variation selectors) is left out without a word.
    """
    text = unicodedata.normalize("NFC", text)
    missing: dict[str, None] = {}

    def stand_in(match: re.Match[str]) -> str:
        char = match[0]
        if unicodedata.category(char) in ("Cc", "Cf") or 0xFE00 <= ord(char) <= 0xFE0F:
            return " " if char in "\t\r" else ""
        missing[char] = None
        return GETA

    return _strange().sub(stand_in, text), tuple(missing)
