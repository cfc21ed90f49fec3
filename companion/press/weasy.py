"""The PDF engine at work. Only the worker process imports this: it loads WeasyPrint, and through it Pango."""

import logging
import re
import zlib
from functools import lru_cache
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pydyf
from cssselect2 import ElementWrapper
from weasyprint import CSS, HTML
from weasyprint.html import HTML_HANDLERS, make_replaced_box
from weasyprint.images import SVGImage
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

from companion.press.jobs import Job, Made
from companion.resources import data_dir

ASSETS = "http://printables/"
"""A host that is nowhere: stylesheets need an address that relative ones can start from, and none is ever opened."""
SVG = "{http://www.w3.org/2000/svg}"


_FONT = re.compile(re.escape(ASSETS) + r"fonts/([a-z0-9-]+\.ttf)", re.ASCII)


class OnlyAssets(URLFetcher):  # type: ignore[misc]  # WeasyPrint has no types
    """Serves the project's own fonts, and refuses every other address: no file, no network."""

    def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
        if (font := _FONT.fullmatch(url)) is not None:
            body = (data_dir("printables") / "fonts" / font[1]).read_bytes()
            return URLFetcherResponse(url, body, {"Content-Type": "font/ttf"})
        raise FatalURLFetchingError(f"a sheet may not ask for {url[:80]}")


FETCH = OnlyAssets()


class Drawing(SVGImage):  # type: ignore[misc]
    """A drawing whose strokes are worked out once for each size and then repeated as they are."""

    def __init__(self, svg: str) -> None:
        super().__init__(ElementTree.fromstring(svg), ASSETS, FETCH, None)
        self._kept: dict[tuple[float, float], tuple[bytes, dict[str, Any]]] = {}

    def draw(self, stream: Any, concrete_width: float, concrete_height: float, style: Any) -> None:
        # From one state always, or the strokes would hang on what was drawn before.
        stream._current_color = stream._current_color_stroke = None
        stream._current_alpha = stream._current_alpha_stroke = None
        size, states = (concrete_width, concrete_height), stream._resources["ExtGState"]
        if size not in self._kept:
            begin, before, others = len(stream.stream), dict(states), _others(stream)
            states.clear()
            super().draw(stream, *size, style)
            # Kept as one piece: so many small ones would take many times the memory.
            strokes, used = b"\n".join(stream.stream[begin:]), dict(states)
            states.clear()
            states.update(before | used)
            if _others(stream) == others:
                self._kept[size] = strokes, used
        else:
            strokes, used = self._kept[size]
            if strokes:
                stream.stream.append(strokes)
            states.update(used)


def _others(stream: Any) -> int:
    """Counts what a page draws on beside strokes: drawings that do are not repeated."""
    return sum(len(stream._resources[kind]) for kind in ("XObject", "Pattern", "Shading"))


drawing = lru_cache(maxsize=256)(Drawing)
_BACKGROUND = "data:image/svg+xml,"


class Backgrounds(dict[str, Any]):
    """What WeasyPrint asks for an image before it fetches one: the drawings in stylesheets are at hand."""

    def __contains__(self, url: object) -> bool:
        return str(url).startswith(_BACKGROUND) or super().__contains__(url)

    def __missing__(self, url: str) -> Drawing:
        return drawing(unquote(url.removeprefix(_BACKGROUND)))


def _drawn(element: Any, box: Any, _get_image: Any, _base_url: str) -> list[Any]:
    return [make_replaced_box(element, box, drawing(element.get("drawing")))]


HTML_HANDLERS[f"{SVG}svg"] = _drawn


_SVG = re.compile("<svg(.*?>)(<title>.*?</title>)?.*?</svg>", re.DOTALL)


class Page(HTML):  # type: ignore[misc]
    """A document read as the XML that it is, which takes a hundredth of the time.

    Of an inline drawing the page keeps the outer element and the title: styles have no say in the rest, and matching
    them against each stroke would take longer than all else.
    """

    def __init__(self, html: str) -> None:
        drawings: list[str] = []

        def outside(found: re.Match[str]) -> str:
            attributes, title = found.groups("")
            drawings.append(f'<svg xmlns="{SVG[1:-1]}"{found[0].removeprefix("<svg")}')
            return f'<svg xmlns="{SVG[1:-1]}"{attributes}{title}</svg>'

        root = ElementTree.fromstring(_SVG.sub(outside, html))
        for svg, drawn in zip(root.iter(f"{SVG}svg"), drawings, strict=True):
            svg.set("drawing", drawn)
        self.base_url, self.url_fetcher, self.media_type = ASSETS, FETCH, "print"
        self.wrapper_element = ElementWrapper.from_html_root(root, content_language=None)
        self.etree_element = root


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


FONTS = FontConfiguration()
"""One for the whole process, which has one thread: two threads that share one crash."""


@lru_cache(maxsize=32)
def style(name: str, text: str) -> CSS:
    """Returns a stylesheet, read once."""
    base = ASSETS + name
    return CSS(string=text, base_url=base, url_fetcher=FETCH, font_config=FONTS, media_type="print")


def _compress(stream: pydyf.Stream) -> None:
    """Compresses a stream once: written as it is, it would be twice, for the file and for the file's identifier."""
    plain = pydyf.Stream(stream.stream).data.partition(b"stream\n")[2].removesuffix(b"\nendstream")
    stream.stream, stream.compress = [zlib.compress(plain)], False
    stream.extra["Filter"] = "/FlateDecode"


def make(job: Job) -> Made:
    """Returns the PDF of a document. Everything about it follows from the job, so the same job gives the same bytes."""
    listener = _Listener()
    logger = logging.getLogger("weasyprint")
    logger.handlers[:] = [listener]
    logger.propagate = False

    def finish(_document: Any, pdf: Any) -> None:
        wishes = {"PrintScaling": "/None", "Duplex": f"/{job.duplex}", "PickTrayByPDFSize": "true"}
        held = pdf.catalog.setdefault("ViewerPreferences", pydyf.Dictionary({}))
        held.update({"DisplayDocTitle": "true", **wishes})
        for part in pdf.objects:
            if isinstance(part, pydyf.Stream) and part.compress:
                _compress(part)

    styles = [style(*found) for found in job.styles]
    document = Page(job.html).render(stylesheets=styles, font_config=FONTS, pdf_forms=job.forms, cache=Backgrounds())
    pdf = document.write_pdf(
        finisher=finish,
        pdf_variant="pdf/ua-1",
        pdf_identifier=job.etag.encode()[:32],
        pdf_forms=job.forms,
        custom_metadata=False,
    )
    return Made(pdf, len(document.pages), tuple(listener.lines))


def warm() -> None:
    """Makes a page of two letters: what the engine loads with its first text is there before the first sheet comes."""
    name = "css/print.css"
    styles = ((name, (data_dir("printables") / name).read_text(encoding="utf-8")),)
    make(Job('<html lang="en"><head><title>A</title></head><body>A<b>A</b></body></html>', styles, "A", "None", False))
