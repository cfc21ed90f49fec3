"""Sheets that are filled in on a screen."""

import pytest

from companion.printing import SHEETS, Context, Options, pdf
from tests.printing.conftest import made, reader, recorded, texts

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sheets")]
FORMS = [name for name, sheet in SHEETS.items() if "fillable" in sheet.kinds]


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("name", FORMS)
def test_a_form_has_fields_with_names_and_labels_of_their_own(name: str, lang: str) -> None:
    file = made(name, kind="fillable", lang=lang)
    document = reader(file.body)
    widgets = [note.get_object() for page in document.pages for note in page.get("/Annots", [])]
    names = [str(widget["/T"]) for widget in widgets]
    assert len(names) > 30
    assert len(set(names)) == len(names)
    assert all(str(widget.get("/TU", "")).strip() for widget in widgets)
    assert len(file.body) <= 120 * 1024


@pytest.mark.parametrize("name", FORMS)
def test_a_blank_sheet_has_no_fields(name: str) -> None:
    assert "/AcroForm" not in reader(made(name).body).root_object


def test_a_recorded_game_is_text_and_no_form() -> None:
    record = recorded("leapfrog.by-card.jsonl")
    file = pdf(SHEETS["leapfrog-score"], Options(kind="filled"), Context(record=record))
    document = reader(file.body)
    assert "/AcroForm" not in document.root_object
    assert "Ann" in texts(file.body)[0]
