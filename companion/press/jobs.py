"""What is asked of the worker and what it answers."""

from typing import NamedTuple


class Job(NamedTuple):
    """One document to be made into a PDF, and its stylesheets: each a name and its text."""

    html: str
    styles: tuple[tuple[str, str], ...]
    etag: str
    duplex: str
    forms: bool


class Made(NamedTuple):
    """The PDF, its number of pages and what the engine had to say about the document."""

    pdf: bytes
    pages: int
    log: tuple[str, ...]
