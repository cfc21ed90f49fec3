"""Builds the fonts of the prints from BIZ UDPGothic; printables/fonts/BUILD.md tells how to run it."""

import json
import sys
from itertools import groupby
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

PRINT, FIELD = "Companion Print", "Companion Field"


def japanese() -> set[int]:
    """Returns every character of Windows-31J, what Japanese computers could always write."""
    found = set()
    for lead in (*range(0x20, 0xA0), *range(0xA0, 0xFD)):
        for code in (bytes([lead]), *(bytes([lead, trail]) for trail in range(0x40, 0xFD))):
            try:
                text = code.decode("cp932")
            except UnicodeDecodeError:
                continue
            found |= {ord(char) for char in text if char >= " "}
    return found


LATIN = {*range(0x20, 0x7F), *range(0xA0, 0x180), 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026, 0x20AC}
EVERYTHING = LATIN | japanese() | {*range(0x400, 0x460), 0x2660, 0x2665, 0x2666, 0x2663, 0x3013}


def build(source: Path, target: Path, characters: set[int], family: str, style: str) -> list[int]:
    """Writes a static TrueType subset under a name of our own and returns the characters it holds."""
    options = subset.Options()
    options.hinting = False
    options.notdef_outline = True  # else a character that is missing prints as nothing at all
    options.layout_features = []
    options.drop_tables += ["GSUB", "vhea", "vmtx", "meta", "gasp"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.glyph_names = False
    font = TTFont(source, recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    compact = family.replace(" ", "")
    for record in list(font["name"].names):
        if record.platformID != 3 or record.langID != 0x409:
            font["name"].removeNames(record.nameID, record.platformID, record.platEncID, record.langID)
    full = family if style == "Regular" else f"{family} {style}"
    for name_id, text in {1: family, 2: style, 3: f"{compact}-{style}", 4: full, 6: f"{compact}-{style}"}.items():
        font["name"].setName(text, name_id, 3, 1, 0x409)
    font.save(target, reorderTables=True)
    return sorted(font.getBestCmap())


def ranges(codes: list[int]) -> list[list[int]]:
    """Returns a sorted list of numbers as first and last of each unbroken stretch."""
    stretches = (list(part) for _, part in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]))
    return [[part[0][1], part[-1][1]] for part in stretches]


def main(package: Path, target: Path) -> None:
    """Builds all fonts out of the unpacked package, and the list of the characters they hold."""
    regular = package / "400Regular" / "BIZUDPGothic_400Regular.ttf"
    bold = package / "700Bold" / "BIZUDPGothic_700Bold.ttf"
    held = build(regular, target / "companion-print-400.ttf", EVERYTHING, PRINT, "Regular")
    also = build(bold, target / "companion-print-700.ttf", EVERYTHING, PRINT, "Bold")
    build(regular, target / "companion-field-400.ttf", LATIN, FIELD, "Regular")
    both = ranges(sorted({*held} & {*also}))
    (target / "characters.json").write_text(json.dumps(both, separators=(",", ":")) + "\n", encoding="ascii")
    (target / "OFL.txt").write_text((package / "LICENSE_FONT").read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
