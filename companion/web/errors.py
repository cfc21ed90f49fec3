"""When something cannot be done: a page that says what, keeps what was typed, and offers a way on."""

from typing import Any

from flask import Flask, Response, current_app, g, jsonify, redirect, render_template, request
from flask_wtf.csrf import CSRFError, generate_csrf
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from companion.engine.findings import RecordError
from companion.i18n import DEFAULT
from companion.store import Expired, NoTable, StoreError
from companion.web.look import Look, words_of
from companion.web.phones import led_on
from companion.web.signs import signs_of


def register(app: Flask) -> None:
    """Adds the error pages."""

    @app.errorhandler(CSRFError)
    def token(error: CSRFError) -> tuple[Response | str, int]:
        if _fetched():
            return jsonify(csrf=generate_csrf()), 400
        fields = [
            (name, value) for name in request.form if name != "csrf_token" for value in request.form.getlist(name)
        ]
        # The same fields, one tap away, with a token that is good.
        return render_template("again.html", fields=fields, action=request.full_path.rstrip("?"), s=_signs()), 400

    @app.errorhandler(NoTable)
    def no_table(error: NoTable) -> AnyResponse:
        for name, writes in (("table_id", True), ("code", False)):
            old = (request.view_args or {}).get(name)
            way = led_on(old, writes=writes) if old else None
            if way:
                # The same request again, at the table's new address: nothing of it is lost.
                return redirect(way + request.full_path.removesuffix("?")[len(f"/t/{old}") :], 307)
            if way is not None:
                return _page(410, "moved")
        return _page(404, "no-table")

    @app.errorhandler(Expired)
    def expired(error: Expired) -> AnyResponse:
        return _page(410, "expired")

    @app.errorhandler(StoreError)
    def store(error: StoreError) -> AnyResponse:
        current_app.logger.warning("the store: %s", error.code)
        return _page(503, "503")

    @app.errorhandler(RecordError)
    def unreadable(error: RecordError) -> AnyResponse:
        return _page(400, "400")

    @app.errorhandler(HTTPException)
    def http(error: HTTPException) -> AnyResponse:
        if error.code == 400 and error.description == "host":
            return Response("This address is not ours.\n", 400, mimetype="text/plain")
        return _page(error.code or 500, str(error.code))

    @app.errorhandler(Exception)
    def any_other(error: Exception) -> AnyResponse:
        current_app.logger.exception("a request failed")
        return _page(500, "500")


def _page(status: int, name: str) -> AnyResponse:
    if "words" not in g:
        # The request failed before its language was chosen.
        g.words, g.look = words_of(DEFAULT), Look()
    known = name if f"error.{name}.title" in g.words else "400" if status < 500 else "500"
    title, text = g.words(f"error.{known}.title"), g.words(f"error.{known}.text")
    if _fetched():
        answer: Response = jsonify(error=title)
        answer.status_code = status
        return answer
    return Response(render_template("error.html", title=title, text=text, lost=name == "no-table", s=_signs()), status)


def _signs() -> Any:
    return signs_of(g.words.lang)


def _fetched() -> bool:
    return request.headers.get("Accept") == "application/json"
