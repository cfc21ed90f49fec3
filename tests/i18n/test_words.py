"""Words: a key and its parameters in, a sentence out; and which language to speak."""

from pathlib import Path

import pytest

import companion.i18n
from companion.i18n import Words, pick

HEAD = 'msgid ""\nmsgstr ""\n"Plural-Forms: {}\\n"\n\n'
ENGLISH = HEAD.format("nplurals=2; plural=(n != 1);") + (
    'msgid "play.taken"\nmsgstr "{name} takes it"\n\n'
    'msgid "play.tricks"\nmsgid_plural "play.tricks"\n'
    'msgstr[0] "{n} trick for {name}"\nmsgstr[1] "{n} tricks for {name}"\n'
)
JAPANESE = HEAD.format("nplurals=1; plural=0;") + (
    'msgid "play.taken"\nmsgstr "{name}さんが取りました"\n\n'
    'msgid "play.tricks"\nmsgid_plural "play.tricks"\nmsgstr[0] "{name}さんは{n}トリック"\n'
)


@pytest.fixture
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for language, text in (("en", ENGLISH), ("ja", JAPANESE)):
        (tmp_path / language).mkdir()
        (tmp_path / language / "core.po").write_text(text, encoding="utf-8")
    loaded = {language: companion.i18n.load(tmp_path / language) for language in ("en", "ja")}
    monkeypatch.setattr(companion.i18n, "catalogue", loaded.__getitem__)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    ("language", "key", "params", "said"),
    [
        ("en", "play.taken", {"name": "Ann"}, "Ann takes it"),
        ("ja", "play.taken", {"name": "あん"}, "あんさんが取りました"),
        ("en", "play.tricks", {"n": 1, "name": "Ann"}, "1 trick for Ann"),
        ("en", "play.tricks", {"n": 0, "name": "Ann"}, "0 tricks for Ann"),
        ("ja", "play.tricks", {"n": 1, "name": "あん"}, "あんさんは1トリック"),
        # A name is a value, never a pattern.
        ("en", "play.taken", {"name": "{n} {0} %s"}, "{n} {0} %s takes it"),
        # A message without plural forms takes a number like any other parameter.
        ("en", "play.taken", {"name": "Ann", "n": 3}, "Ann takes it"),
    ],
)
def test_words(language: str, key: str, params: dict[str, object], said: str) -> None:
    assert Words(language)(key, **params) == said


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    ("key", "params", "named"),
    [
        ("play.lost", {}, "play.lost"),
        ("play.taken", {}, "name"),
        ("play.tricks", {"name": "Ann"}, "n"),
    ],
)
def test_what_is_missing_raises(key: str, params: dict[str, object], named: str) -> None:
    with pytest.raises(KeyError, match=named):
        Words("en")(key, **params)


@pytest.mark.usefixtures("_small")
def test_contains() -> None:
    words = Words("en")
    assert "play.taken" in words
    assert "play.tricks" in words
    assert "play.lost" not in words


def test_a_language_that_we_do_not_speak() -> None:
    with pytest.raises(KeyError, match="de"):
        Words("de")


@pytest.mark.parametrize(
    ("header", "kept", "language"),
    [
        (None, None, "en"),
        ("", None, "en"),
        ("ja", None, "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", None, "ja"),
        ("en-US,en;q=0.9,ja;q=0.8", None, "en"),
        ("JA", None, "ja"),
        ("de, ja;q=0.3", None, "ja"),
        ("de, fr;q=0.3", None, "en"),
        ("en;q=0.2, ja;q=0.7", None, "ja"),
        ("ja;q=0", None, "en"),
        ("*", None, "en"),
        ("*;q=0.5, ja;q=0.4", None, "ja"),
        ("ja;q=zero, en;q=0.1", None, "en"),
        (";;;,,,q=1,=,ja_JP", None, "en"),
        ("ja", "en", "en"),
        ("en", "ja", "ja"),
        ("ja", "de", "ja"),
    ],
)
def test_pick(header: str | None, kept: str | None, language: str) -> None:
    assert pick(header, kept) == language
