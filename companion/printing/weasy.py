"""The PDF engine at work. Only the worker process imports this: it loads WeasyPrint, and through it Pango."""

import logging
from typing import Any, NamedTuple

import pydyf
from weasyprint import HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

from companion.printing.assets import asset

ASSETS = "http://printables/"
"""A host that is nowhere: stylesheets need an address that relative ones can start from, and none is ever opened."""


class Job(NamedTuple):
    """One document to be made into a PDF."""

    html: str
    etag: str
    duplex: str
    forms: bool


class Made(NamedTuple):
    """The PDF, its number of pages and what the engine had to say about the document."""

    pdf: bytes
    pages: int
    log: tuple[str, ...]


class OnlyAssets(URLFetcher):  # type: ignore[misc]  # WeasyPrint has no types
    """Serves the project's own stylesheets and fonts, and refuses every other address: no file, no network."""

    def fetch(self, url: str, headers: Any = None) -> URLFetcherResponse:
        if url.startswith("data:image/svg+xml,"):
            return super().fetch(url, headers)
        if url.startswith(ASSETS):
            try:
                found = asset(url.removeprefix(ASSETS))
            except KeyError:
                raise FatalURLFetchingError(f"no such asset: {url}") from None
            return URLFetcherResponse(url, found.body, {"Content-Type": found.type})
        raise FatalURLFetchingError(f"a sheet may not ask for {url[:80]}")


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def make(job: Job) -> Made:
    """Returns the PDF of a document. Everything about it follows from the job, so the same job gives the same bytes."""
    listener = _Listener()
    logger = logging.getLogger("weasyprint")
    logger.handlers[:] = [listener]
    logger.propagate = False

    def preferences(_document: Any, pdf: Any) -> None:
        wishes = {"PrintScaling": "/None", "Duplex": f"/{job.duplex}", "PickTrayByPDFSize": "true"}
        held = pdf.catalog.setdefault("ViewerPreferences", pydyf.Dictionary({}))
        held.update({"DisplayDocTitle": "true", **wishes})

    fonts = FontConfiguration()
    page = HTML(string=job.html, base_url=ASSETS, url_fetcher=OnlyAssets(), media_type="print")
    document = page.render(font_config=fonts, pdf_forms=job.forms)
    pdf = document.write_pdf(
        finisher=preferences,
        pdf_variant="pdf/ua-1",
        pdf_identifier=job.etag.encode()[:32],
        pdf_forms=job.forms,
        custom_metadata=False,
    )
    return Made(pdf, len(document.pages), tuple(listener.lines))
