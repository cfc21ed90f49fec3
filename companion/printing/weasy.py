"""The PDF engine at work. Only the worker process imports this: it loads WeasyPrint, and through it Pango."""

import logging
from functools import lru_cache
from typing import Any

import pydyf
from weasyprint import CSS, HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

from companion.printing.assets import ASSETS, asset
from companion.printing.jobs import Job, Made


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


FONTS = FontConfiguration()
"""One for the whole process, which has one thread: two threads that share one crash."""


@lru_cache(maxsize=32)
def style(name: str) -> CSS:
    """Returns a stylesheet, read once."""
    return CSS(url=ASSETS + name, url_fetcher=OnlyAssets(), font_config=FONTS, media_type="print")


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

    page = HTML(string=job.html, base_url=ASSETS, url_fetcher=OnlyAssets(), media_type="print")
    styles = [style(name) for name in job.styles]
    document = page.render(stylesheets=styles, font_config=FONTS, pdf_forms=job.forms)
    pdf = document.write_pdf(
        finisher=preferences,
        pdf_variant="pdf/ua-1",
        pdf_identifier=job.etag.encode()[:32],
        pdf_forms=job.forms,
        custom_metadata=False,
    )
    return Made(pdf, len(document.pages), tuple(listener.lines))
