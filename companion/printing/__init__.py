"""Prints: a sheet, its options and its context in, a page or PDF bytes out.

    sheet = SHEETS["leapfrog-cards"]
    made = pdf(sheet, Options(paper="letter", lang="ja"), Context(app="https://companion.example/new/leapfrog"))

`html` gives the same document as a page at full size. It holds no style of its own: it links stylesheets below the
address that it is given, and the server answers there with `asset(name)`. So it works under `style-src 'self'`.
`sheet.picture(lang)` names a small picture of a sheet, served the same way.
"""

from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from companion.press.renderer import RENDERER, Engine, PrintFailed
from companion.printing.assets import Asset, asset
from companion.printing.context import Context
from companion.printing.document import Document, build
from companion.printing.options import CHOICES, Options, PrintRefused, usual_paper
from companion.printing.sheets import SHEETS, Sheet, bundle, score_sheet

__all__ = [
    "CHOICES",
    "SHEETS",
    "Asset",
    "Context",
    "Engine",
    "Options",
    "Pdf",
    "PrintFailed",
    "PrintRefused",
    "Sheet",
    "asset",
    "bundle",
    "engine",
    "etag",
    "filename",
    "html",
    "missing_glyphs",
    "pdf",
    "score_sheet",
    "usual_paper",
]

KEPT = 64
"""How many finished PDFs are kept, whole: about 4 MB."""


class Pdf(NamedTuple):
    """A finished PDF; `missing_glyphs` are the characters that a 〓 stands for."""

    body: bytes
    etag: str
    missing_glyphs: tuple[str, ...]
    pages: int


_kept: OrderedDict[str, Pdf] = OrderedDict()
_keeping = Lock()


@lru_cache(maxsize=128)
def _blank(sheet: Sheet, options: Options, context: Context, assets: str) -> Document:
    return build(sheet, options, context, assets)


def _document(sheet: Sheet, options: Options, context: Context, assets: str = "") -> Document:
    # A record is no key for a cache: it is not hashable, and its sheet is printed once.
    return (_blank if context.record is None else build)(sheet, options, context, assets)


def html(sheet: Sheet, options: Options, context: Context, assets: str) -> str:
    """Returns the sheet as a page at full size; `assets` is where `asset` is served, ending in a slash.

    Raises PrintRefused.
    """
    return _document(sheet, options, context, assets).html


def etag(sheet: Sheet, options: Options, context: Context) -> str:
    """Returns what names the PDF's content, without making it. Raises PrintRefused."""
    return _document(sheet, options, context).etag


def missing_glyphs(sheet: Sheet, options: Options, context: Context) -> tuple[str, ...]:
    """Returns the characters that the fonts lack, to be told before printing. Raises PrintRefused."""
    return _document(sheet, options, context).missing


def pdf(sheet: Sheet, options: Options, context: Context) -> Pdf:
    """Returns the sheet as a PDF, made only if it is not at hand. Raises PrintRefused, PrintFailed."""
    RENDERER.warm()
    document = _document(sheet, options, context)
    with _keeping:
        if document.etag in _kept:
            _kept.move_to_end(document.etag)
            return _kept[document.etag]
    made = RENDERER.render(document.job())
    finished = Pdf(made.pdf, document.etag, document.missing, made.pages)
    with _keeping:
        _kept[document.etag] = finished
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return finished


def engine() -> Engine:
    """Returns whether PDFs can be made on this machine, or what to install."""
    return RENDERER.engine()


def filename(sheet: Sheet, options: Options) -> str:
    """Returns a name for the file: the sheet, its paper, its language and what else differs from the usual."""
    name = sheet.name if sheet.name in SHEETS else f"{sheet.game or 'companion'}-sheets"
    extra = [value for name, value in options.query().items() if name in ("kind", "layout", "side", "card")]
    return "-".join([name, options.paper, options.lang, *extra]) + ".pdf"
