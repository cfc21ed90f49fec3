"""The way in for other phones: the table's address as a QR code, every address of this computer, and help."""

from functools import lru_cache
from typing import NamedTuple

from flask import Blueprint, Flask, current_app, g, render_template, request
from markupsafe import Markup

from companion.config import Config
from companion.web.home import tables
from companion.web.signs import signs_of
from companion.web.views import View

bp = Blueprint("join", __name__)
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
    path = []
    for y, row in enumerate(rows):
        x = 0
        while x < size:
            end = x
            while end < size and row[end]:
                end += 1
            if end > x:
                path.append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end + 1
    return Markup(
        f'<svg class="qr" viewBox="0 0 {size} {size}" aria-hidden="true" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path fill="#000" d="{"".join(path)}"/></svg>'
    )


def ways(path: str) -> list[Way]:
    """Returns every address that leads to a path of ours, the likeliest first."""
    config: Config = current_app.extensions["companion"]
    if config.public_url:
        hosts = [config.public_url]
    else:
        from companion import net

        # Looked up each time: a laptop that moves gets another address.
        hosts = [net.url(address.ip, config.port) for address in net.lan_addresses()]
        here = request.host_url.rstrip("/")
        if here in hosts:
            # The one that a phone has just come by works.
            hosts = [here, *(host for host in hosts if host != here)]
    return [Way(host + path, qr(host + path)) for host in hosts]


@bp.get("/t/<table_id>/join")
def join(table_id: str) -> str:
    """Shows how another phone gets to this table, to play or to watch."""
    view = View(tables().open(table_id))
    role = "watch" if request.args.get("as") == "watch" else "play"
    path = f"/w/{view.table.row.watch}" if role == "watch" else view.url
    return render_template("join.html", v=view, ways=ways(path), role=role, back=f"{view.url}/menu", s=view.signs)


@bp.get("/join")
def anywhere() -> str:
    """Shows how a phone gets to the companion."""
    return render_template("join.html", v=None, ways=ways("/"), role="home", back="/", s=signs_of(g.words.lang))


def register(app: Flask) -> None:
    """Adds the join pages."""
    app.register_blueprint(bp)
