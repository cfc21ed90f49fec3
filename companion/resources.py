"""The data folders: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Returns the folder `templates`, `static` or `printables`. Raises FileNotFoundError."""
    # Inside the package first: next to an installed package lie the folders of strangers.
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the data folder {name!r} is missing: neither in {_PACKAGE} nor beside it")
