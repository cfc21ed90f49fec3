"""The shape of the project: which way imports point, what lies where, and that the checks of it do check."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP = {"pyproject.toml", "companion", "templates", "static", "printables", "tests", "README.md", "Makefile", "LICENSE"}
DATA = ("templates", "static", "printables")
MADE = {"__pycache__", "node_modules"}
LONGEST = 420


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def sources() -> Iterator[Path]:
    """Yields every file that is ours to keep: not what tools leave behind, not folders whose name begins with a dot."""
    for folder, folders, names in os.walk(ROOT):
        here = Path(folder)
        folders[:] = [name for name in folders if name not in MADE and (not name.startswith(".") or name == ".ci")]
        if here == ROOT:
            folders[:] = [name for name in folders if name in TOP or name == ".ci"]
        # In a second work tree this is a file.
        yield from (here / name for name in names if name != ".git")


def test_the_top_level_is_fixed() -> None:
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert there - {"dist", "build"} == TOP


@pytest.mark.parametrize("folder", DATA)
def test_data_folders_hold_data(folder: str) -> None:
    assert list((ROOT / folder).rglob("*.py")) == []
    assert any(path.is_file() for path in (ROOT / folder).rglob("*"))


def test_files_are_short() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources()
        if path.suffix == ".py" and (lines := path.read_text(encoding="utf-8").count("\n")) > LONGEST
    }
    assert long == {}


def test_tests_mirror_the_package() -> None:
    """Each part of the package has its tests, under its own name."""
    for part in (ROOT / "companion").iterdir():
        if part.is_dir() and part.name not in MADE:
            assert list((ROOT / "tests" / part.name).glob("test_*.py")), part.name


def test_the_engine_needs_nothing_but_the_standard_library() -> None:
    for path in (ROOT / "companion" / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports say where from"
                names = [node.module or ""]
            for name in names:
                ours = name.startswith("companion.engine")
                assert ours or name.partition(".")[0] in sys.stdlib_module_names, f"{path} imports {name}"


def test_no_address_of_a_registry_and_no_path_of_this_machine() -> None:
    # Put together here, or this file would be the one it finds.
    barred = re.compile("|".join((r"pypi\.o" + "rg", "pythonhos" + "ted", "/wo" + "rk/", "/ro" + "ot/")))
    for path in sources():
        if path.suffix in {".woff2", ".ttf", ".otf", ".png", ".ico", ".pyc"}:
            continue
        found = barred.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found}"


@pytest.mark.slow
def test_imports_point_one_way() -> None:
    ran = lint_imports(ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("engine/cards.py", "import sqlite3", "The engine is pure"),
        ("engine/fold.py", "from random import shuffle", "The engine is pure"),
        ("engine/cards.py", "import companion.store", "Imports point one way"),
        ("i18n/__init__.py", "import companion.engine.cards", "Imports point one way"),
        ("resources.py", "import companion.config", "Imports point one way"),
        ("store/__init__.py", "import companion.cli", "Imports point one way"),
        ("printing/__init__.py", "import flask", "without the web framework"),
        ("stray.py", "", "Imports point one way"),
    ],
)
def test_a_planted_import_is_found(module: str, planted: str, contract: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "companion", tmp_path / "companion", ignore=shutil.ignore_patterns(*MADE))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    target = tmp_path / "companion" / module
    before = target.read_text(encoding="utf-8") if target.exists() else ""
    target.write_text(f"{before}\n{planted}\n", encoding="utf-8")
    ran = lint_imports(tmp_path)
    assert ran.returncode != 0
    assert contract in ran.stdout.partition("Broken contracts")[2], ran.stdout + ran.stderr
