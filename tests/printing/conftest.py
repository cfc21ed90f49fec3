"""What the tests of prints share: PDFs made once, pages as pictures, recorded games."""

import io
import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pypdf
import pypdfium2
import pytest
from PIL import Image
from pypdfium2.raw import FPDF_PAGEOBJ_PATH

from companion.engine.record import Record, record_from
from companion.press.renderer import RENDERER
from companion.printing import SHEETS, Context, Options, Pdf, pdf

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
ADDRESS = "https://companion.example/new/leapfrog"
POINT = 72 / 25.4
SIZES = {"a4": (210, 297), "letter": (215.9, 279.4)}
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
    for page in pypdfium2.PdfDocument(body):
        found = set()
        for drawn in page.get_objects(filter=[FPDF_PAGEOBJ_PATH]):
            left, bottom, right, top = (place / POINT for place in drawn.get_bounds())
            if abs(right - left - width) < 0.01 and abs(top - bottom - height) < 0.01:
                found.add((left, page.get_height() / POINT - top))
        pages.append(sorted(found))
    return pages


def texts(body: bytes) -> list[str]:
    """Returns what each page says, its lines run on."""
    return [page.get_textpage().get_text_range().replace("\r\n", "") for page in pypdfium2.PdfDocument(body)]


def pictures(body: bytes, dpi: int, grey: bool = True) -> list[Image.Image]:
    """Returns the pages as pictures."""
    return [page.render(scale=dpi / 72, grayscale=grey).to_pil() for page in pypdfium2.PdfDocument(body)]


def poppler(body: bytes, dpi: int, folder: Path, *options: str) -> list[Image.Image]:
    """Returns the pages as pictures by another program, which must have no complaint."""
    source = folder / "sheet.pdf"
    source.write_bytes(body)
    command = ["pdftoppm", "-r", str(dpi), "-gray", *options, str(source), str(folder / "page")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stderr == ""
    found = []
    for path in sorted(folder.glob("page*.pgm")):
        with Image.open(path) as picture:
            found.append(picture.convert("L"))
        path.unlink()
    return found


def figures(document: pypdf.PdfReader, page: int | None = None) -> list[tuple[str, tuple[float, float]]]:
    """Returns the alternate texts of the figures, of all pages or of one, and where they lie, in mm."""
    found = []
    wanted = None if page is None else document.pages[page].indirect_reference.idnum

    def walk(element: Any, at: int | None) -> None:
        element = element.get_object()
        if not isinstance(element, dict):
            return
        at = element.raw_get("/Pg").idnum if "/Pg" in element else at
        if element.get("/S") == "/Figure" and wanted in (None, at):
            left, top = element["/A"]["/BBox"][:2]
            found.append((str(element.get("/Alt", "")), (float(left) * 25.4 / 96, float(top) * 25.4 / 96)))
        children = element.get("/K", [])
        for child in children if isinstance(children, list) else [children]:
            walk(child, at)

    walk(document.root_object["/StructTreeRoot"], None)
    return found


def recorded(file: str, place: int = 0, **changes: Any) -> Record:
    """Returns a recorded game of the vectors, with other parts if asked."""
    line = json.loads((VECTORS / file).read_text(encoding="utf-8").splitlines()[place])
    return record_from(line["record"] | changes)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Returns what the PDF engine had to say."""
    caplog.set_level("WARNING", logger="companion.press")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture(scope="session", autouse=True)
def _no_worker_left() -> Any:
    yield
    RENDERER.close()
