"""From a sheet, its options and its context to one HTML document, the same for screen and paper."""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from babel.dates import format_date

from companion.i18n import Words
from companion.press.jobs import Job
from companion.printing import filled_chameleon_tricks, filled_leapfrog, filled_measure_and_tempo, fonts, geometry
from companion.printing.assets import asset, build_id, layout_name
from companion.printing.calibration import calibration
from companion.printing.context import Context
from companion.printing.drawing import qr
from companion.printing.filled import Rows, scores
from companion.printing.options import Options, PrintRefused
from companion.printing.sheets import SHEETS, Sheet
from companion.printing.wording import environment

STYLES = {
    "": ("print", "faces"),
    "leapfrog-tokens.html": ("print", "tokens"),
    "calibration.html": ("print", "tokens"),
    "leapfrog-score.html": ("print", "score"),
    "measure-and-tempo-score.html": ("print", "faces", "score"),
    "chameleon-tricks-score.html": ("print", "score"),
    "leapfrog-rules.html": ("print", "rules"),
    "measure-and-tempo-rules.html": ("print", "faces", "rules"),
    "chameleon-tricks-rules.html": ("print", "faces", "rules"),
}
"""Which stylesheets a template needs: each one costs a render some milliseconds."""
QR_SIZE = 34
_LAST = re.compile("([^<>\\s、。「（]{4}[。ぁ-ん一-龠])(?=(?:</b>)?</(?:p|li)>)")
"""The end of a Japanese paragraph, which stays together: no line may hold a last syllable alone."""
LEDGERS: dict[str, Rows] = {
    "leapfrog": filled_leapfrog.rows,
    "measure-and-tempo": filled_measure_and_tempo.rows,
    "chameleon-tricks": filled_chameleon_tricks.rows,
}


class Block(NamedTuple):
    """The cards of one side that lie together on a page: each a macro that draws its face, and what it is given."""

    back: bool
    faces: tuple[tuple[str, str], ...]


class CardPage(NamedTuple):
    """One side of one sheet of cards."""

    side: str
    number: int
    sheets: int
    blocks: tuple[Block, ...]
    opens: bool


class Part(NamedTuple):
    """A sheet as it lies in the document: a kit has several."""

    sheet: Sheet
    pages: tuple[CardPage, ...]


class Document(NamedTuple):
    """A finished page: `etag` names its content, `missing` the characters that a 〓 stands for."""

    html: str
    styles: tuple[str, ...]
    title: str
    etag: str
    missing: tuple[str, ...]
    duplex: str
    forms: bool

    def job(self) -> Job:
        """Returns what the press is asked for."""
        styles = tuple((name, asset(name).body.decode()) for name in self.styles)
        return Job(self.html, styles, self.etag, self.duplex, self.forms)


def _block(slots: tuple[geometry.Slot, ...], faces: list[str], back: bool) -> Block:
    """Returns the faces as they are read on the page, row by row; a place without a card stays free."""
    held = zip(slots, faces + [""] * (len(slots) - len(faces)), strict=True)
    laid = sorted(held, key=lambda place: (place[0].box.y, place[0].box.x))
    return Block(back, tuple((macro, argument) for macro, _, argument in (face.partition(":") for _slot, face in laid)))


def card_pages(sheet: Sheet, options: Options) -> tuple[CardPage, ...]:
    """Returns the pages of a sheet of cards, fronts and backs taking turns; a last sheet keeps its grid, half full."""
    folded = options.layout == "gutterfold"
    places = geometry.layout(options.paper, options.card, folded, options.flip)
    room = len(places.fronts)
    sheets = [sheet.cards[n : n + room] for n in range(0, len(sheet.cards), room)]
    pages: list[CardPage] = []

    for n, cards in enumerate(sheets, 1):
        front = _block(places.fronts, [front for front, _back in cards], False)
        back = _block(places.backs, [back for _front, back in cards], True)
        if folded:
            pages.append(CardPage("front", n, len(sheets), (front, back), not pages))
            continue
        if options.side != "backs":
            pages.append(CardPage("front", n, len(sheets), (front,), not pages))
        if options.side != "fronts" and any(macro for macro, _argument in back.faces):
            pages.append(CardPage("back", n, len(sheets), (back,), not pages))
    return tuple(pages)


def _duplex(sheet: Sheet, options: Options) -> str:
    """Returns how a printer should turn the paper, as the PDF says it."""
    if sheet.has_cards or sheet.calibrates:
        single = options.layout != "duplex" or options.side != "both"
        return "Simplex" if single else f"DuplexFlip{options.flip.title()}Edge"
    return "DuplexFlipLongEdge" if sheet.two_sided else "Simplex"


def _parts(sheet: Sheet, options: Options) -> Iterator[Part]:
    for part in [SHEETS[name] for name in sheet.parts] or [sheet]:
        yield Part(part, card_pages(part, options))


def _asked(sheet: Sheet, options: Options, context: Context) -> Options:
    """Returns the options that count, or raises PrintRefused."""
    sheet.check(options)
    if options.kind == "filled" and context.record is None:
        raise PrintRefused("print.refused.no-record", sheet=sheet.name)
    if options.kind == "filled" and context.record is not None and context.record.game.slug != sheet.game:
        raise PrintRefused("print.refused.other-game", sheet=sheet.name)
    return sheet.fit(options)


def build(sheet: Sheet, options: Options, context: Context, assets: str = "") -> Document:
    """Returns the document. It links its stylesheets where `assets` says below which address `asset` is served.

    Raises PrintRefused.
    """
    options = _asked(sheet, options, context)
    env = environment(options.lang, options.colour)
    words = Words(options.lang)
    title = words("print.comma").join(words(SHEETS[name].title) for name in sheet.name.split("+"))
    values: dict[str, Any] = {
        "sheet": sheet,
        "o": options,
        "app": context.app,
        "table": context.table,
        "build": build_id(),
        "fields": options.kind == "fillable",
        "day": format_date(context.day, "long", locale=options.lang) if context.day else "",
        "qr_size": QR_SIZE,
        "parts": tuple(_parts(sheet, options)),
        "score": None,
        "calibration": calibration(options) if sheet.calibrates else None,
    }
    if options.kind == "filled" and context.record is not None:
        score = scores(context.record, words, LEDGERS)
        values["score"] = score
        title = f"{words('game.' + context.record.game.slug)} {score.title}"
    # Looked up here, so that a too long address is refused by name and not in the middle of a page.
    for address in (context.app, context.table):
        if address:
            qr(address, QR_SIZE)
    styles = (*_styles(values["parts"], options), layout_name(options))
    html = env.get_template("page.html").render(title=title, styles=styles, assets=assets, **values)
    if options.lang == "ja":
        html = _LAST.sub(r'<span class="keep">\1</span>', html)
    html, missing = fonts.preflight(html)
    return Document(html, styles, title, _etag(html, options), missing, _duplex(sheet, options), values["fields"])


def _styles(parts: tuple[Part, ...], options: Options) -> tuple[str, ...]:
    names = [name for part in parts for name in STYLES[part.sheet.template]]
    if options.kind == "filled":
        names = ["print", "filled"]
    return tuple(f"css/{name}.css" for name in dict.fromkeys(names))


def _etag(html: str, options: Options) -> str:
    digest = sha256(html.encode())
    digest.update(_stamp().encode() + asset(layout_name(options)).body)
    return digest.hexdigest()[:40]


@cache
def _stamp() -> str:
    return build_id() + renderer_version()


def renderer_version() -> str:
    """Returns the version of the PDF engine, without loading it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("weasyprint")
    except PackageNotFoundError:
        return "none"
