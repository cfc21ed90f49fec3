"""Packaging: from a checkout, from an editable install and from a wheel built through the sdist."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest

from companion.resources import data_dir
from tests.cli.command import environment
from tests.cli.serving import serving

ROOT = Path(__file__).parents[1]
DATA = ("templates", "static", "printables")
REQUIREMENTS = ROOT / ".requirements"


def test_a_checkout_holds_no_copies() -> None:
    """A copy inside the package would win over the folder that people edit."""
    for name in DATA:
        assert not (ROOT / "companion" / name).exists()
        assert data_dir(name) == ROOT / name


def test_a_missing_folder_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match="pictures"):
        data_dir("pictures")


def pinned(name: str) -> dict[str, str]:
    """Returns the packages of a requirements file and their versions."""
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9.\[\]-]+)==([^ ;]+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["run", "hosted", "dev"])
def test_every_package_is_pinned_with_hashes(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pinned(name)) > 10
    for entry in entries:
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
    assert "://" not in text


@pytest.mark.parametrize("name", ["run", "hosted"])
def test_the_same_versions_everywhere(name: str) -> None:
    """Which is why an environment for development can also run."""
    assert pinned(name).items() <= pinned("dev").items()


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the sdist, and from it the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def one(folder: Path, pattern: str) -> Path:
    [found] = folder.glob(pattern)
    return found


@pytest.mark.slow
def test_the_wheel_holds_all_data(distributions: Path) -> None:
    with zipfile.ZipFile(one(distributions, "*.whl")) as wheel:
        packed = set(wheel.namelist())
    for name in DATA:
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / name).rglob("*") if path.is_file()]
        assert files
        assert {f"companion/{file}" for file in files} <= packed
    for path in (ROOT / "companion").rglob("*"):
        if path.suffix in {".py", ".po", ".typed"}:
            assert path.relative_to(ROOT).as_posix() in packed
    strays = [name for name in packed if not name.startswith(("companion/", "table_companion-"))]
    assert strays == []
    assert not any(name.endswith((".pyc", ".mo")) for name in packed)


@pytest.mark.slow
def test_the_licence_goes_along(distributions: Path) -> None:
    with zipfile.ZipFile(one(distributions, "*.whl")) as wheel:
        [licence] = [name for name in wheel.namelist() if name.endswith("dist-info/licenses/LICENSE")]
        assert b"The Companion authors" in wheel.read(licence)
    with tarfile.open(one(distributions, "*.tar.gz")) as sdist:
        assert any(name.endswith("/LICENSE") for name in sdist.getnames())


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., Path]:
    """Makes an environment that sees this one's packages, but not this checkout, and installs into it."""

    def install(*what: str) -> Path:
        folder = tmp_path / "venv"
        venv.create(folder, symlinks=os.name == "posix")
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        site = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
        # Packages beside these are found; what they themselves point to (our own editable install) is not.
        (Path(site) / "beside.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--python", str(scripts / "python")]
        done = subprocess.run(
            [*pip, "install", "--no-deps", "--no-index", "--no-build-isolation", *what],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return scripts

    return install


def elsewhere() -> dict[str, str]:
    """Returns an environment that leads nobody to the checkout."""
    return {name: value for name, value in environment().items() if name != "PYTHONPATH"}


def visit(scripts: Path, folder: Path, package: Path) -> None:
    """Serves from another folder and gets the first page, what it links to, and the folders' own places."""
    away = folder / "away"
    away.mkdir()
    asked = [scripts / "python", "-c", f"from companion.resources import *; print(*map(data_dir, {DATA}), sep='\\n')"]
    told = subprocess.run(asked, cwd=away, env=elsewhere(), capture_output=True, text=True, timeout=30, check=True)
    assert told.stdout.splitlines() == [str(package / name) for name in DATA]
    with serving(folder / "data", command=[str(scripts / "companion")], cwd=away, env=elsewhere()) as there:
        with urlopen(there.url, timeout=20) as answer:
            page = answer.read().decode()
        linked = re.findall(r'(?:href|src)="([^"]+\.(?:css|js|svg|png|ico)[^"]*)"', page)
        assert linked
        for link in linked:
            with urlopen(urljoin(there.url, link), timeout=20) as answer:
                assert answer.status == 200
                assert answer.read()


@pytest.mark.slow
def test_an_installed_wheel_works(distributions: Path, installed: Callable[..., Path], tmp_path: Path) -> None:
    scripts = installed(str(one(distributions, "*.whl")))
    site = sysconfig.get_path("purelib", "venv", {"base": str(scripts.parent), "platbase": str(scripts.parent)})
    visit(scripts, tmp_path, Path(site) / "companion")


@pytest.mark.slow
def test_an_editable_install_works(installed: Callable[..., Path], tmp_path: Path) -> None:
    visit(installed("-e", str(ROOT)), tmp_path, ROOT)
