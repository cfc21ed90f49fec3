"""The catalogues: complete in both languages, and neither more nor less than the source asks for."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import PoFileError, read_po

from companion.i18n import FOLDER, LANGUAGES, Words, catalogue, load
from tests.i18n.catalogues import KEY, ROOT, beginnings, calls, fields, mentioned, python_calls, template_calls

# Keys put together at run time where the scan cannot see how they begin, and who does it.
UNSEEN = {
    "power.": "Wording, for a parameter of this name",
    "phase.": "Wording, for a parameter of this name",
}


JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
FILES = sorted(FOLDER.glob("*/*.po"))


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, abort_invalid=True)


def forms(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string)


def messages(path: Path) -> list[Message]:
    return [message for message in read(path) if message.id]


def texts(language: str) -> dict[str, list[str]]:
    loaded = catalogue(language)
    return {key: [text] for key, text in loaded.texts.items()} | {
        key: list(several) for key, (several, _) in loaded.plurals.items()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_file_is_well_kept(path: Path) -> None:
    """A language we have, its plural rule, keys of the agreed form, none twice, none unsure or left over."""
    kept = read(path)
    assert path.parent.name in LANGUAGES
    assert str(kept.locale) == path.parent.name
    assert kept.num_plurals == {"en": 2, "ja": 1}[path.parent.name]
    assert not kept.obsolete
    source = path.read_text(encoding="utf-8")
    written = re.findall(r'^msgid "([^"]+)"$', source, re.MULTILINE)
    assert sorted(set(written)) == sorted(written)
    assert len(written) == len(messages(path)), "a key broken over lines, or one that was not read"
    for message in messages(path):
        key = message.id if isinstance(message.id, str) else message.id[0]
        assert KEY.fullmatch(key), key
        assert not message.fuzzy, key
        if not isinstance(message.id, str):
            assert message.id == (key, key), "msgid_plural repeats the key"
            assert len(message.string) == kept.num_plurals, key


def test_languages_have_the_same_domains() -> None:
    english, japanese = ({path.name for path in FILES if path.parent.name == language} for language in LANGUAGES)
    assert english == japanese


def test_languages_have_the_same_keys() -> None:
    english, japanese = texts("en"), texts("ja")
    assert english.keys() - japanese.keys() == set(), "not in Japanese"
    assert japanese.keys() - english.keys() == set(), "not in English"


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_say_something(language: str) -> None:
    for key, several in texts(language).items():
        for text in several:
            assert text, key
            assert text == text.strip("\n\t"), key


def test_parameters_agree() -> None:
    """The same plain names in both languages; of a plural message a form may leave the number out."""
    japanese = texts("ja")
    plurals = catalogue("en").plurals
    for key, several in texts("en").items():
        names = set().union(*map(fields, several))
        assert all(name.isidentifier() for name in names), (key, names)
        there = set().union(*map(fields, japanese[key]))
        assert there - {"n"} == names - {"n"} if key in plurals else there == names, (key, names, there)


def test_japanese_is_japanese() -> None:
    """Nothing was left in English: what reads the same in both is a name or a sign, of three words at most."""
    english = texts("en")
    for key, several in texts("ja").items():
        for text in several:
            bare = re.sub(r"\{\w+\}", "", text)
            letters = re.search(r"[A-Za-z]{2}", bare)
            assert JAPANESE.search(bare) or not letters or len(text.split()) <= 3, (key, text)
            if text in english[key]:
                assert len(text.split()) <= 3, (key, text)


def test_source_asks_for_keys_that_exist() -> None:
    known = texts("en")
    lost = [call for call in calls() if call.form == "whole" and call.key not in known]
    assert lost == []


def test_source_gives_the_parameters() -> None:
    known = texts("en")
    for call in calls():
        if call.form == "whole" and call.given is not None and call.key in known:
            needed = set().union(*map(fields, known[call.key]))
            needed |= {"n"} & call.given if call.key not in catalogue("en").plurals else {"n"}
            assert needed <= call.given, (call.place, call.key, needed - call.given)


def test_keys_made_at_run_time_can_be() -> None:
    """Where only the beginning or the end of a key is written down, some key begins or ends so."""
    known = texts("en")
    fits = {"begin": str.startswith, "end": str.endswith}
    made = [call for call in calls() if call.form != "whole"]
    assert [call for call in made if not any(fits[call.form](key, call.key) for key in known)] == []


def test_every_key_is_used() -> None:
    used = mentioned()
    made = {form: {call.key for call in calls() if call.form == form} for form in ("begin", "end")}
    begun = tuple(made["begin"] | beginnings() | UNSEEN.keys())
    assert "" not in begun
    idle = [
        key
        for key in texts("en")
        if key not in used
        and not key.startswith(begun)
        and not any(key.endswith(end) and key.removesuffix(end) in used for end in made["end"])
    ]
    assert idle == []


def test_every_reading_error_has_words() -> None:
    """Each RecordError("code") of the source is said in every language."""
    codes = {
        node.args[0].value
        for path in (ROOT / "companion").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RecordError"
        if isinstance(node.args[0], ast.Constant)
    }
    assert codes
    words = Words("en")
    assert {code for code in codes if f"unreadable.{code}" not in words} == set()


def test_scan_sees_python_calls() -> None:
    source = 'words("a.b", n=1, who=x)\nself.words(f"c.{d}")\nt("e.f" if g else "h.i", **k)\nother("j.k")'
    found = [(call.key, call.form, call.given) for call in python_calls(source, "x")]
    given = [("a.b", "whole", frozenset({"n", "who"})), ("c.", "begin", frozenset())]
    assert sorted(found, key=str) == sorted([*given, ("e.f", "whole", None), ("h.i", "whole", None)], key=str)


def test_scan_sees_template_calls() -> None:
    source = '{{ t("a.b", n=1) }}{% if t("c." ~ d) %}{{ t("e.f" if g else "h.i") }}{% endif %}'
    source += '{{ t("k." + l) }}{{ u("m.n") }}{{ r(o ~ "-p") }}'
    found = {(call.key, call.form) for call in template_calls(source, "x")}
    assert found == {
        ("a.b", "whole"),
        ("c.", "begin"),
        ("e.f", "whole"),
        ("h.i", "whole"),
        ("k.", "begin"),
        ("-p", "end"),
    }


PO = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'


def test_a_key_in_two_domains_is_refused(tmp_path: Path) -> None:
    for domain in ("core", "web"):
        (tmp_path / f"{domain}.po").write_text(PO + 'msgid "a.b"\nmsgstr "x"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"'a\.b' stands in core\.po and in web\.po"):
        load(tmp_path)


@pytest.mark.parametrize("line", ['msgid "a.b', "message"])
def test_a_broken_file_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "core.po").write_text(f"{PO}{line}\n", encoding="utf-8")
    with pytest.raises(PoFileError):
        load(tmp_path)
