"""Every error of the store has words in every language, and no words are left over."""

import re
from pathlib import Path

import pytest

import companion.store
from companion.i18n import LANGUAGES, Words, catalogue

SOURCES = Path(companion.store.__file__).parent.glob("*.py")
RAISED = {
    code: frozenset(re.findall(r"(\w+)=", params))
    for source in SOURCES
    for code, params in re.findall(r'(?:StoreError|__init__)\(\s*"(store\.[a-z-]+)"([^\n]*)', source.read_text("utf-8"))
}
# Its code is chosen between two, before the parameters.
RAISED |= {"store.migration-failed": frozenset({"reason"})}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_words(language: str) -> None:
    assert {key for key in catalogue(language).texts if key.startswith("store.")} == set(RAISED)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", sorted(RAISED))
def test_words_name_what_the_error_tells(language: str, code: str) -> None:
    facts = {name: f"<{name}>" for name in RAISED[code]}
    said = Words(language)(code, **facts)
    assert all(fact in said for fact in facts.values())
