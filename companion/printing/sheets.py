"""The sheets that can be printed, as printables/sheets.json lists them."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from companion.printing.options import CARD_ONLY, Options, PrintRefused
from companion.resources import data_dir


class Sheet(NamedTuple):
    """One sheet. A sheet of cards has `cards` (front and back of each), a kit has `parts`, any other a `template`.

    `two_sided` says that a template, or any part of a kit, fills two pages; cards do where they have backs.
    `seats` is how many players its score has columns for; None where it does not matter.
    """

    name: str
    game: str | None
    kinds: tuple[str, ...] = ("blank",)
    template: str = ""
    cards: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()
    two_sided: bool = False
    seats: int | None = None

    @property
    def title(self) -> str:
        """The key of its title."""
        return f"print.sheet.{self.name}"

    @property
    def about(self) -> str:
        """The key of a sentence on what it is for."""
        return f"print.about.{self.name}"

    def picture(self, lang: str) -> str:
        """Returns the name under which `asset` serves a small picture of it."""
        return f"pictures/{lang}/{self.name}.png"

    @property
    def has_cards(self) -> bool:
        """Whether it has a block of cards, so that layout, flip, side, size, marks and offset apply."""
        return bool(self.cards) or any(SHEETS[part].cards for part in self.parts)

    @property
    def both_sides(self) -> bool:
        """Whether it is printed on both sides of a paper."""
        return self.two_sided or any(back for _front, back in self.cards)

    @property
    def calibrates(self) -> bool:
        """Whether the calibration sheet is in it, which shows how the paper turns and where the backs lie."""
        return "calibration" in (self.name, *self.parts)

    @property
    def options(self) -> tuple[str, ...]:
        """The options that make a difference here, beside paper and language."""
        kind = ("kind",) if len(self.kinds) > 1 else ()
        places = CARD_ONLY if self.has_cards else ("flip", "dx", "dy") if self.calibrates else ()
        return (*kind, *places, *(() if self.name == "calibration" else ("colour",)))

    def fit(self, options: Options) -> Options:
        """Returns the options without those that make no difference here."""
        unused = {*CARD_ONLY, "kind", "colour"}.difference(self.options)
        return options.without(*unused)

    def check(self, options: Options) -> None:
        """Raises PrintRefused for what this sheet cannot do."""
        if options.kind not in self.kinds:
            raise PrintRefused("print.refused.kind", sheet=self.name, kinds=", ".join(self.kinds))
        if options.layout == "gutterfold" and not self.has_cards:
            raise PrintRefused("print.refused.fold", sheet=self.name)
        if options.side != "both" and not self.has_cards:
            raise PrintRefused("print.refused.side", sheet=self.name)


@cache
def _load() -> Mapping[str, Sheet]:
    with (data_dir("printables") / "sheets.json").open(encoding="utf-8") as file:
        raw = json.load(file)
    return MappingProxyType({
        name: Sheet(
            name,
            entry.get("game"),
            tuple(entry.get("kinds", ("blank",))),
            entry.get("template", ""),
            tuple((front, back) for front, back in entry.get("cards", ())),
            tuple(entry.get("parts", ())),
            entry.get("two_sided", False),
            entry.get("seats"),
        )
        for name, entry in raw.items()
    })


SHEETS = _load()


def bundle(names: Iterable[str]) -> Sheet:
    """Returns several sheets as one to print at once, each part once. Raises KeyError.

    What fills two pages goes first, or its back would come to lie on another paper.
    """
    chosen = tuple(dict.fromkeys(names))
    if len(chosen) == 1:
        return SHEETS[chosen[0]]
    parts = dict.fromkeys(part for name in chosen for part in SHEETS[name].parts or (name,))
    leaves = sorted((SHEETS[part] for part in parts), key=lambda leaf: not leaf.both_sides)
    [game, *others] = {leaf.game for leaf in leaves}
    kinds = tuple(kind for kind in leaves[0].kinds if kind != "filled" and all(kind in leaf.kinds for leaf in leaves))
    return Sheet(
        "+".join(chosen),
        None if others else game,
        kinds,
        parts=tuple(leaf.name for leaf in leaves),
        two_sided=any(leaf.both_sides for leaf in leaves),
    )


def score_sheet(game: str, seats: int) -> Sheet:
    """Returns the sheet on which a recorded game of so many players is printed. Raises KeyError."""
    for sheet in SHEETS.values():
        if sheet.game == game and "filled" in sheet.kinds and sheet.seats in (None, seats):
            return sheet
    raise KeyError(game)
