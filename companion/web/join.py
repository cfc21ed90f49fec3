"""The way in for other phones: a QR code, a code to be typed, every address of this computer; and who is here."""

import unicodedata
from functools import lru_cache
from math import ceil
from typing import Literal, NamedTuple

from flask import Blueprint, Flask, Response, current_app, g, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from companion.config import Config
from companion.qr import path
from companion.web import limits
from companion.web.home import tables
from companion.web.phones import present, put_out, take
from companion.web.signs import signs_of
from companion.web.views import View

bp = Blueprint("join", __name__)
CODE_SIZE = 6
_QUIET = 2


class Way(NamedTuple):
    """One address at which a phone may find us, and its code."""

    url: str
    code: Markup


@lru_cache(maxsize=64)
def qr(text: str) -> Markup:
    """Draws a QR code as one SVG path."""
    import qrcode
    from qrcode.constants import ERROR_CORRECT_L

    code = qrcode.QRCode(error_correction=ERROR_CORRECT_L, border=_QUIET)
    code.add_data(text)
    rows = code.get_matrix()
    size = len(rows)
    return Markup(
        f'<svg class="qr" viewBox="0 0 {size} {size}" aria-hidden="true" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path fill="#000" d="{path(rows)}"/></svg>'
    )


def hosts() -> list[str]:
    """Returns every address at which phones find us, without a slash at its end, the likeliest first."""
    config: Config = current_app.extensions["companion"]
    if config.public_url:
        return [config.public_url]
    from companion import net

    # Looked up each time: a laptop that moves gets another address.
    found = [net.url(address.ip, config.port) for address in net.lan_addresses()]
    here = request.host_url.rstrip("/")
    # The one that a phone has just come by works.
    return [here, *(host for host in found if host != here)] if here in found else found


def ways(to: str) -> list[Way]:
    """Returns every address that leads to a path of ours, the likeliest first."""
    return [Way(host + to, qr(host + to)) for host in hosts()]


@bp.get("/t/<table_id>/join")
def join(table_id: str) -> str:
    """Shows how another phone gets to this table, to play or to watch, and who is here."""
    table = tables().open(table_id)
    view = View(table)
    role: Literal["play", "watch"] = "watch" if request.args.get("as") == "watch" else "play"
    now = tables().clock()
    phones = present(table)
    door = None if table.row.binned_at is not None else tables().store.door(table_id, role, now)
    return render_template(
        "join.html",
        v=view,
        ways=ways(f"/w/{table.row.watch}" if role == "watch" else view.url),
        role=role,
        door=door,
        minutes=0 if door is None else ceil((door.until - now) / 60),
        phones=phones,
        mine=next((one.seat for one in phones if one.mine), None),
        s=view.signs,
    )


@bp.post("/t/<table_id>/seat")
def take_seat(table_id: str) -> AnyResponse:
    """Notes whose phone this is."""
    table = tables().open(table_id)
    asked = request.form.get("seat", "")
    places = [str(place) for place in range(len(table.row.players))]
    take(table, places.index(asked) if asked in places else None)
    return redirect(f"/t/{table_id}/join", 303)


@bp.post("/t/<table_id>/out")
def out(table_id: str) -> AnyResponse:
    """Puts a phone out of the table."""
    fresh = put_out(tables().open(table_id), request.form.get("phone", ""))
    return redirect(f"/t/{fresh}/join", 303)


@bp.get("/join")
def anywhere() -> str:
    """Asks for a table's code, and shows how a phone gets to the companion."""
    return _door(None)


@bp.post("/join")
def typed() -> AnyResponse:
    """Leads a phone to the table whose code was typed."""
    code = plain(request.form.get("code", ""))
    if len(code) != CODE_SIZE:
        return Response(_door("join.six", code), 422)
    if not limits.allowed("join"):
        return Response(_door("join.too-often", code), 429)
    found = tables().store.behind(code, tables().clock())
    if found is None:
        return Response(_door("join.not-open", code), 422)
    limits.give_back("join")
    table_id, role = found
    return redirect(f"/w/{tables().open(table_id).row.watch}" if role == "watch" else f"/t/{table_id}", 303)


def plain(text: str) -> str:
    """Returns a typed code as it is stored: whatever the keyboard made of it, and with or without a gap."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text[:40]).upper()))


def _door(problem: str | None, code: str = "") -> str:
    return render_template(
        "door.html",
        ways=ways("/"),
        problem=g.words(problem) if problem else "",
        code=code,
        s=signs_of(g.words.lang),
    )


def register(app: Flask) -> None:
    """Adds the join pages."""
    app.register_blueprint(bp)
