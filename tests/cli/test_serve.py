"""Serving: what is said at the start, ports, settings that cannot be, and a clean end."""

import io
import signal
import socket
import sys
import threading
from pathlib import Path
from unittest import mock
from urllib.request import urlopen

import pytest

from companion import config, net
from companion.cli import serve
from companion.cli.serve import _announce
from companion.i18n import Words
from tests.cli.command import companion, program
from tests.cli.serving import serving, wait_for

LAN = [net.Address("192.168.1.20", "wlan0"), net.Address("10.8.0.2", "wg0")]


def announced(
    data: Path,
    addresses: list[net.Address],
    *,
    host: str = "0.0.0.0",
    asked: int | None = None,
    port: int = 8765,
    public_url: str | None = None,
    encoding: str = "utf-8",
) -> str:
    """Returns what the terminal shows at the start."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    settings = config.Config(data, f"sqlite:///{data}/x", b"k" * 32, public_url, port=port)
    arguments = mock.Mock(host=host, port=asked)
    with (
        mock.patch.object(net, "lan_addresses", return_value=addresses),
        mock.patch.object(sys, "stdout", stream),
    ):
        _announce(settings, arguments, Words("en"))
        stream.flush()
    return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined, no-any-return]


def urls(said: str) -> list[str]:
    return [line.strip() for line in said.splitlines() if line.startswith("    http")]


def code(url: str) -> str:
    return net.terminal_qr(url)


def test_every_address_is_shown_the_best_first_with_its_code(tmp_path: Path) -> None:
    said = announced(tmp_path, LAN)
    assert urls(said) == ["http://192.168.1.20:8765", "http://10.8.0.2:8765"]
    assert code("http://192.168.1.20:8765") in said
    assert said.count(code("http://10.8.0.2:8765")) == 0
    assert str(tmp_path) in said


def test_one_address_by_choice(tmp_path: Path) -> None:
    assert urls(announced(tmp_path, LAN, host="10.8.0.2")) == ["http://10.8.0.2:8765"]


def test_a_public_address_goes_before_all(tmp_path: Path) -> None:
    said = announced(tmp_path, LAN, public_url="https://table.example.org")
    assert urls(said) == ["https://table.example.org"]
    assert code("https://table.example.org") in said


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    said = announced(tmp_path, [])
    assert urls(said) == ["http://localhost:8765"]
    assert "no network" in said
    assert "█" not in said


def test_another_port_is_mentioned(tmp_path: Path) -> None:
    assert "Port 8765 is taken" in announced(tmp_path, LAN, port=8766)
    assert "taken" not in announced(tmp_path, LAN, port=9000, asked=9000)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_a_terminal_without_blocks_gets_the_address_alone(encoding: str, tmp_path: Path) -> None:
    said = announced(tmp_path, LAN, encoding=encoding)
    assert urls(said)[0] == "http://192.168.1.20:8765"
    assert "█" not in said


@pytest.mark.parametrize("reason", ["synced", "network"])
def test_a_doubtful_folder_is_warned_of(reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with mock.patch.object(config, "doubtful_folder", return_value=reason):
        announced(tmp_path, LAN)
    assert str(tmp_path) in capsys.readouterr().err


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = companion("serve", "--port", "0", "--host", "127.0.0.1", "--data", str(tmp_path / "file"))
    assert ran.status == 1
    assert str(tmp_path / "file") in ran.err
    assert "--data" in ran.err


def test_hosted_without_a_key(tmp_path: Path) -> None:
    ran = companion("serve", "--port", "0", "--host", "127.0.0.1", "--data", str(tmp_path), COMPANION_HOSTED="1")
    assert ran.status == 1
    assert "COMPANION_SECRET_KEY" in ran.err


def test_a_port_asked_for_and_taken(tmp_path: Path) -> None:
    with net.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        ran = companion("serve", "--port", str(port), "--host", "127.0.0.1", "--data", str(tmp_path))
    assert ran.status == 1
    assert str(port) in ran.err
    assert ran.out == ""


@pytest.fixture(autouse=True)
def _signals_as_before() -> object:
    kept = {number: signal.getsignal(number) for number in serve._SIGNALS}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_and_ends_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    with serving(tmp_path) as companion_there:
        with urlopen(companion_there.url, timeout=10) as answer:
            assert answer.status == 200
            assert "Server" not in answer.headers
        # A second one, as of somebody impatient, changes nothing.
        companion_there.process.send_signal(number)
        companion_there.process.send_signal(number)
        assert companion_there.process.wait(20) == 0
        assert "Stopped" in companion_there.said
        assert "Traceback" not in companion_there.said


@pytest.mark.slow
def test_it_serves_on_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    port = free_port()
    typed = ["serve", "--port", str(port), "--host", "127.0.0.1", "--data", str(tmp_path)]
    # A phone's open connection is no resource that leaks when the process ends.
    with program(*typed, PYTHONWARNINGS="") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        wait_for(port)
        with urlopen(f"http://127.0.0.1:{port}", timeout=20) as answer:
            assert answer.status == 200
        process.terminate()
        assert process.wait(20) == 0
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_more_phones_than_threads(tmp_path: Path) -> None:
    """Connections that phones keep open cost no thread: the next phone is answered all the same."""
    with serving(tmp_path) as there:
        port = int(there.url.rpartition(":")[2])
        waiting = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(260)]
        try:
            with urlopen(there.url, timeout=10) as answer:
                assert answer.status == 200
        finally:
            for connection in waiting:
                connection.close()


@pytest.mark.slow
def test_two_start_at_one_moment(tmp_path: Path) -> None:
    """Two companions over one new folder: both answer, with one key."""
    found: list[str] = []

    def start() -> None:
        with serving(tmp_path) as there, urlopen(there.url, timeout=10):
            found.append((tmp_path / "secret-key").read_text())

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert len(set(found)) == 1


def free_port() -> int:
    with net.listen("127.0.0.1", 0) as listener:
        return int(listener.getsockname()[1])


def test_the_code_of_a_computer_with_tables_leads_back_to_them(tmp_path: Path) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    settings = config.Config(tmp_path, f"sqlite:///{tmp_path}/x", b"k" * 32)
    with (
        mock.patch.object(net, "lan_addresses", return_value=LAN),
        mock.patch.object(sys, "stdout", stream),
    ):
        _announce(settings, mock.Mock(host="0.0.0.0", port=None), Words("en"), "/?again=1.2")
        stream.flush()
    said = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert code("http://192.168.1.20:8765/?again=1.2") in said
    assert "twelve hours" in said


def test_another_address_is_shown_when_the_computer_gets_it(capsys: pytest.CaptureFixture[str]) -> None:
    home, cafe = [net.Address("192.168.1.20", "wlan0")], [net.Address("10.0.0.7", "wlan0")]
    # Asleep on no network, then in a cafe, and there to stay.
    looks = iter([home, home, [], cafe, cafe])
    announced: list[int] = []
    with (
        mock.patch.object(net, "lan_addresses", side_effect=lambda: next(looks)),
        pytest.raises(StopIteration),
    ):
        serve._follow(lambda: announced.append(1), Words("en"), lambda seconds: None)
    assert announced == [1]
    assert capsys.readouterr().out.count("another address") == 1
