"""`companion serve`: the app on the local network, its addresses, and the code to scan."""

import argparse
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from companion import config, net
from companion.cli import FINE, REFUSED
from companion.cli.streams import problem, say, silence
from companion.i18n import Words

if TYPE_CHECKING:
    from companion.table import Tables

PORT = 8765
CONNECTIONS = 500
_FILES = 2048
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]
_LOOK_EVERY = 5.0
_EVERYWHERE = ("", "0.0.0.0", "::")


def run(arguments: argparse.Namespace, words: Words) -> int:
    """Serves until it is told to stop (Ctrl-C, SIGTERM)."""
    _stop_on_signals()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # A request that waits some milliseconds for a thread is nothing to worry people with.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    try:
        listener = _listen(arguments.host, arguments.port)
    except OSError as error:
        asked = arguments.port if arguments.port is not None else PORT
        problem(words("cli.serve.no-port", host=arguments.host, port=asked, reason=error.strerror or str(error)))
        return REFUSED
    with listener:
        port = listener.getsockname()[1]
        settings = config.load(data=arguments.data, public_url=arguments.public_url, port=port)
        return _serve(settings, listener, arguments, words)


def _serve(settings: config.Config, listener: socket.socket, arguments: argparse.Namespace, words: Words) -> int:
    try:
        from waitress.server import create_server

        from companion.app import create_app
        from companion.store import StoreError
        from companion.web import again

        app = create_app(settings)
        _allow_files()
        server = create_server(
            app,
            sockets=[listener],
            threads=16,
            connection_limit=CONNECTIONS,
            # Without it, select() ends at file number 1024.
            asyncore_use_poll=hasattr(select, "poll"),
            channel_timeout=60,
            ident=None,
            clear_untrusted_proxy_headers=not settings.proxies,
        )
        tables: Tables = app.extensions["tables"]

        def announce() -> None:
            now, path = tables.clock(), ""
            with contextlib.suppress(StoreError):
                if tables.store.recent(now - again.SECONDS, 1):
                    path = again.path(settings.secret_key, now)
            _heard(lambda: _announce(settings, arguments, words, path))

        announce()
        if not settings.public_url and arguments.host in _EVERYWHERE:
            threading.Thread(target=_follow, args=(announce, words), daemon=True).start()
        server.run()
        server.close()
    except KeyboardInterrupt:
        pass
    _heard(lambda: say("", words("cli.serve.stopped")))
    return FINE


def _heard(speak: Callable[[], None]) -> None:
    """Says something that nobody may be there to hear: a closed pipe is no reason to stop serving."""
    try:
        speak()
        sys.stdout.flush()
    except OSError:
        silence(sys.stdout)


def _listen(host: str, port: int | None) -> socket.socket:
    return net.listen_near(host, PORT) if port is None else net.listen(host, port)


def _follow(announce: Callable[[], None], words: Words, wait: Callable[[float], object] = time.sleep) -> None:
    """Shows the addresses again whenever they are others: phones that sat at the old ones must come by a new code."""
    known = net.lan_addresses()
    while True:
        wait(_LOOK_EVERY)
        found = net.lan_addresses()
        # While the computer is on no network there is nothing to show.
        if found and found != known:
            _heard(lambda: say("", words("cli.serve.moved"), ""))
            announce()
            known = found


def _announce(settings: config.Config, arguments: argparse.Namespace, words: Words, path: str = "") -> None:
    port = settings.port
    if arguments.port is None and port != PORT:
        say(words("cli.serve.other-port", asked=PORT, port=port))
    if settings.public_url:
        urls = [settings.public_url]
    elif arguments.host in _EVERYWHERE:
        urls = [net.url(address.ip, port) for address in net.lan_addresses()]
    else:
        urls = [net.url(arguments.host, port)]
    reason = config.doubtful_folder(settings.data) if settings.database_url.startswith("sqlite") else None
    if reason:
        problem(words(f"config.doubtful-{reason}", folder=str(settings.data)))
    if urls:
        say(words("cli.serve.scan"), "", f"    {urls[0]}", "")
        _show_code(urls[0] + path)
        if path:
            say(words("cli.serve.again"), "")
        if urls[1:]:
            say(words("cli.serve.others"), *(f"    {url}" for url in urls[1:]), "")
    else:
        say(words("cli.serve.no-network"), "", f"    {net.url('localhost', port)}", "")
    say(words("cli.serve.kept", folder=str(settings.data)), words("cli.serve.stop"))


def _show_code(url: str) -> None:
    drawn = net.terminal_qr(url, net.takes_colour(sys.stdout))
    # Where the terminal has no blocks the address alone has to do.
    if net.can_show(drawn, sys.stdout):
        say(drawn, "")


def _stop_on_signals() -> None:
    for number in _SIGNALS:
        signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    # The end has begun: a second Ctrl-C must not cut off what is being answered.
    for other in _SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise KeyboardInterrupt


def _allow_files() -> None:
    """Raises the number of files this process may open where it is lower than the phones need (macOS: 256)."""
    if os.name != "posix":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < _FILES:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(_FILES, hard) if hard > 0 else _FILES, hard))
