"""`companion print`: starts the PDF engine, and loads what puts a sheet together while the engine loads."""

import argparse

from companion.i18n import Words
from companion.press.renderer import RENDERER


def run(arguments: argparse.Namespace, words: Words) -> int:
    """Prints one sheet, or lists them all."""
    if arguments.sheet or arguments.record:
        RENDERER.warm()
    from companion.cli import prints

    return prints.run(arguments, words)
