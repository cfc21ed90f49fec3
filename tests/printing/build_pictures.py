"""Makes the small pictures of the sheets anew, and those of the README; run by hand when a sheet has changed.

`python -m tests.printing.build_pictures`
"""

from datetime import date
from pathlib import Path

from PIL import Image

from companion.i18n import LANGUAGES
from companion.printing import SHEETS, Context, Options, pdf, score_sheet
from companion.resources import data_dir
from tests.printing.conftest import ADDRESS, pictures, recorded

SMALL, LARGE = 30, 64


def save(page: Image.Image, target: Path) -> None:
    """Writes a picture in sixteen greys, which keeps it to some kilobytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    page.quantize(16).save(target, optimize=True)


def main() -> None:
    """Makes all pictures."""
    folder = data_dir("printables") / "pictures"
    for lang in LANGUAGES:
        for name, sheet in SHEETS.items():
            made = pdf(sheet, Options(lang=lang), Context(app=ADDRESS))
            page = pictures(made.body, SMALL * 3)[0]
            small = page.resize((page.width // 3, page.height // 3), Image.Resampling.LANCZOS)
            save(small, folder / lang / f"{name}.png")
    kit = pdf(SHEETS["leapfrog-cards"], Options(), Context(app=ADDRESS))
    save(pictures(kit.body, LARGE)[0], folder / "kit-leapfrog.png")
    for game in ("leapfrog", "measure-and-tempo", "chameleon-tricks"):
        record = recorded(f"{game}.by-card.jsonl", 3)
        context = Context(table="https://companion.example/w/7Kd92PqLmWx4", record=record, day=date(2025, 11, 30))
        filled = pdf(score_sheet(game, len(record.players)), Options(kind="filled"), context)
        save(pictures(filled.body, LARGE)[0], folder / f"filled-{game}.png")


if __name__ == "__main__":
    main()
