"""What the tests of prints share: PDFs made once, pages as pictures, recorded games."""

import io
import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pdfplumber
import pypdf
import pytest
from PIL import Image

from companion.engine.record import Record, record_from
from companion.printing import SHEETS, Context, Options, Pdf, pdf
from companion.printing.renderer import RENDERER

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
ADDRESS = "https://companion.example/new/leapfrog"
POINT = 72 / 25.4
ALL = Context(app=ADDRESS)


@cache
def made(name: str, context: Context = ALL, **options: Any) -> Pdf:
    """Returns a sheet's PDF, made once."""
    return pdf(SHEETS[name], Options(**options), context)


def reader(body: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(body))


def boxes(body: bytes, width: float, height: float) -> list[list[tuple[float, float]]]:
    """Returns for each page the left and top edges, in mm, of the rectangles of that size (within 0.01 mm)."""
    pages = []
    with pdfplumber.open(io.BytesIO(body)) as document:
        for page in document.pages:
            found = {
                (rect["x0"] / POINT, rect["top"] / POINT)
                for rect in page.rects
                if abs(rect["width"] / POINT - width) < 0.01 and abs(rect["height"] / POINT - height) < 0.01
            }
            pages.append(sorted(found))
    return pages


def pictures(body: bytes, dpi: int, folder: Path, grey: bool = False) -> list[Image.Image]:
    """Returns the pages as pictures."""
    source = folder / "sheet.pdf"
    source.write_bytes(body)
    for old in folder.glob("page*"):
        old.unlink()
    colour = ["-gray"] if grey else []
    subprocess.run(["pdftoppm", "-r", str(dpi), "-png", *colour, source, folder / "page"], check=True)
    found = []
    for path in sorted(folder.glob("page*.png")):
        with Image.open(path) as picture:
            found.append(picture.convert("L" if grey else "RGB"))
    return found


def recorded(file: str, place: int = 0, **changes: Any) -> Record:
    """Returns a recorded game of the vectors, with other parts if asked."""
    line = json.loads((VECTORS / file).read_text(encoding="utf-8").splitlines()[place])
    return record_from(line["record"] | changes)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Returns what the PDF engine had to say."""
    caplog.set_level("WARNING", logger="companion.printing")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture(scope="session", autouse=True)
def _no_worker_left() -> Any:
    yield
    RENDERER.close()
