"""The print pages: each sheet with its options, as a PDF or a page at full size; and a table's filled score sheet."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, abort, g, make_response, render_template, request

from companion.engine.record import record_from
from companion.engine.registry import GAMES
from companion.i18n import DEFAULT, LANGUAGES
from companion.web.join import hosts
from companion.web.play import tables
from companion.web.signs import signs_of

if TYPE_CHECKING:
    from companion.printing import Context, Options, Sheet

bp = Blueprint("prints", __name__)
ASSETS = "/print/assets/"
_FONTS = "default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"


def printing() -> Any:
    """Returns the prints, read in when the first page asks for them: a table must not wait for that."""
    from companion import printing as prints

    return prints


@bp.get("/print")
def index() -> str:
    """Shows every sheet, game by game."""
    groups = [(slug, [sheet for sheet in printing().SHEETS.values() if sheet.game == slug]) for slug in (*GAMES, None)]
    return render_template("print/index.html", groups=groups, picture=_picture, s=signs_of(g.words.lang))


@bp.get("/print/<name>")
def sheet(name: str) -> str | tuple[str, int]:
    """Shows one sheet's options."""
    return _form(*_sheet(name), "/print/" + name, "/print")


@bp.get("/t/<table_id>/print")
def table(table_id: str) -> str | tuple[str, int]:
    """Shows the options of a table's filled score sheet."""
    return _form(*_filled(table_id), f"/t/{table_id}/print", f"/t/{table_id}")


@bp.get("/t/<table_id>/print/card")
def card(table_id: str) -> str | tuple[str, int]:
    """Shows the options of a card that leads to a table."""
    return _form(*_card(table_id), f"/t/{table_id}/print/card", f"/t/{table_id}/print")


@bp.get("/print/<name>.pdf")
def file(name: str) -> Response:
    """Serves a sheet as a PDF."""
    return _pdf(*_sheet(name))


@bp.get("/t/<table_id>/print.pdf")
def table_file(table_id: str) -> Response:
    """Serves a table's filled score sheet as a PDF."""
    return _pdf(*_filled(table_id))


@bp.get("/t/<table_id>/print/card.pdf")
def card_file(table_id: str) -> Response:
    """Serves the card that leads to a table as a PDF."""
    return _pdf(*_card(table_id))


@bp.get("/print/<name>/page")
def page(name: str) -> Response:
    """Shows a sheet at full size, to be printed by the browser."""
    return _page(*_sheet(name))


@bp.get("/t/<table_id>/print/page")
def table_page(table_id: str) -> Response:
    """Shows a table's filled score sheet at full size."""
    return _page(*_filled(table_id))


@bp.get("/t/<table_id>/print/card/page")
def card_page(table_id: str) -> Response:
    """Shows the card that leads to a table at full size."""
    return _page(*_card(table_id))


@bp.get(ASSETS + "<path:name>")
def printable(name: str) -> Response:
    """Serves the stylesheets and fonts of the pages at full size."""
    try:
        found = printing().asset(name)
    except KeyError:
        abort(404)
    response = Response(found.body, mimetype=found.type)
    response.headers["Cache-Control"] = "public, max-age=3600"
    response.set_etag(found.etag)
    response.make_conditional(request)
    return response


def _sheet(name: str) -> "tuple[Sheet, Context]":
    found: Sheet = printing().SHEETS.get(name) or abort(404)
    return found, printing().Context(_address(f"/new/{found.game}" if found.game else "/"))


def _filled(table_id: str) -> "tuple[Sheet, Context]":
    found = tables().open(table_id)
    record = record_from(tables().record_of(found))
    day = datetime.fromtimestamp(found.row.created_at, UTC).date()
    context = printing().Context(table=_address(f"/w/{found.row.watch}"), record=record, day=day)
    return printing().score_sheet(found.game.slug, found.fold.players), context


def _card(table_id: str) -> "tuple[Sheet, Context]":
    found = tables().open(table_id)
    return printing().SHEETS["qr-card"], printing().Context(table=_address(f"/w/{found.row.watch}"))


def _address(path: str) -> str | None:
    """Returns what a printed code opens, as the join page shows it; None where no phone can find us."""
    found = hosts()
    return found[0] + path if found else None


def _asked() -> dict[str, str]:
    """Returns the options of the address, and what is usual here for those that it leaves open."""
    usual = {"lang": g.words.lang, "paper": printing().usual_paper(request.accept_languages.best or "")}
    return usual | {name: value for name, value in request.args.items() if value}


def _options(found: "Sheet", context: "Context") -> "Options":
    raw = _asked()
    if context.record is not None:
        raw["kind"] = "filled"
    options = found.fit(printing().Options.read(raw))
    found.check(options)
    return options


def _form(found: "Sheet", context: "Context", url: str, back: str) -> str | tuple[str, int]:
    words, asked = g.words, _asked()
    refused, lost = "", tuple[str, ...]()
    try:
        lost = printing().missing_glyphs(found, _options(found, context), context)
    except printing().PrintRefused as error:
        refused = words(error.key, **error.params)
    able = printing().engine()
    rendered = render_template(
        "print/sheet.html",
        sheet=found,
        url=url,
        back=back,
        picture=_picture(found, asked["lang"]),
        card=f"{url}/card" if context.record is not None else "",
        asked=asked,
        fields=_fields(found, context),
        refused=refused,
        lost=words("print.missing", n=len(lost), characters=" ".join(lost)) if lost else "",
        unable="" if able.available or able.reason is None else words(able.reason),
        s=signs_of(words.lang),
    )
    return (rendered, 422) if refused else rendered


def _picture(found: "Sheet", lang: str) -> str:
    """Returns the address of a sheet's small picture."""
    return ASSETS + found.picture(lang if lang in LANGUAGES else DEFAULT)


def _fields(found: "Sheet", context: "Context") -> Mapping[str, tuple[str, ...]]:
    """Returns the choices that make a difference to this sheet."""
    asked = ("paper", "lang", *found.options)
    fields: dict[str, Any] = {}
    for name in asked:
        if name == "kind":
            kinds = tuple(kind for kind in found.kinds if kind != "filled")
            if context.record is None and len(kinds) > 1:
                fields[name] = kinds
        elif name in printing().CHOICES:
            fields[name] = printing().CHOICES[name]
        else:
            fields[name] = ()
    return fields


def _pdf(found: "Sheet", context: "Context") -> Response:
    try:
        options = _options(found, context)
        mark = printing().etag(found, options, context)
        if request.if_none_match.contains(mark):
            response = Response(status=304)
        else:
            response = Response(printing().pdf(found, options, context).body, mimetype="application/pdf")
            response.headers["Content-Disposition"] = f'inline; filename="{printing().filename(found, options)}"'
    except printing().PrintRefused as error:
        return _told(g.words(error.key, **error.params), 422)
    except printing().PrintFailed as error:
        told = _told(g.words(error.key), 503)
        if error.retry_after is not None:
            told.headers["Retry-After"] = str(error.retry_after)
        return told
    response.set_etag(mark)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _page(found: "Sheet", context: "Context") -> Response:
    try:
        made = make_response(printing().html(found, _options(found, context), context, ASSETS))
    except printing().PrintRefused as error:
        return _told(g.words(error.key, **error.params), 422)
    # This page alone brings fonts along.
    made.headers["Content-Security-Policy"] = _FONTS
    return made


def _told(text: str, status: int) -> Response:
    s = signs_of(g.words.lang)
    return make_response(render_template("error.html", title=g.words("prints.not"), text=text, s=s), status)


def register(app: Flask) -> None:
    """Adds the print pages."""
    app.register_blueprint(bp)
