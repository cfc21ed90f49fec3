"""Addresses: which of this computer's a phone can use, best first; ports; and the code in the terminal."""

import io
import re
import socket

import pytest
import zxingcpp
from PIL import Image

from companion import net

WIFI, CABLE = ("wlan0", "192.168.1.20"), ("eth0", "10.0.0.7")
DOCKER, VPN = ("docker0", "172.17.0.1"), ("wg0", "10.8.0.2")
LOOP, SELF_GIVEN = ("lo", "127.0.0.1"), ("eth1", "169.254.7.7")


@pytest.mark.parametrize(
    ("adapters", "routes", "best_first"),
    [
        pytest.param([LOOP], [None] * 4, [], id="no network"),
        pytest.param([LOOP, SELF_GIVEN], [None] * 4, [], id="an address nobody gave leads nowhere"),
        pytest.param([LOOP, WIFI], ["192.168.1.20"] * 4, ["192.168.1.20"], id="Wi-Fi"),
        pytest.param([LOOP, WIFI], [None, "192.168.1.20", None, None], ["192.168.1.20"], id="Wi-Fi without internet"),
        pytest.param([DOCKER, WIFI], ["192.168.1.20"] * 3 + ["172.17.0.1"], ["192.168.1.20"], id="containers"),
        pytest.param([VPN, WIFI], ["10.8.0.2"] * 4, ["192.168.1.20", "10.8.0.2"], id="all traffic through a VPN"),
        pytest.param(
            [("tailscale0", "100.101.1.1"), WIFI],
            ["192.168.1.20"] * 4,
            ["192.168.1.20", "100.101.1.1"],
            id="a mesh VPN beside it",
        ),
        pytest.param([CABLE, WIFI], ["10.0.0.7"] * 4, ["10.0.0.7", "192.168.1.20"], id="cable and Wi-Fi"),
        pytest.param(
            [("vEthernet (WSL)", "172.28.1.1"), ("Intel(R) Wi-Fi 6", "192.168.1.20")],
            ["192.168.1.20"] * 4,
            ["192.168.1.20"],
            id="Windows with Linux inside",
        ),
        pytest.param(
            [("Hyper-V Virtual Ethernet Adapter", "192.168.1.20")],
            ["192.168.1.20"] * 4,
            ["192.168.1.20"],
            id="a virtual switch that is the way out",
        ),
        pytest.param([("VirtualBox Host-Only", "192.168.56.1")], [None] * 4, ["192.168.56.1"], id="least bad"),
        pytest.param([("eth0", "203.0.113.5")], ["203.0.113.5"] * 4, ["203.0.113.5"], id="a public address"),
        pytest.param([], ["192.168.1.20"] * 4, ["192.168.1.20"], id="adapters that cannot be listed"),
        pytest.param([("ppp0", "10.9.9.9")], ["10.9.9.9"] * 4, ["10.9.9.9"], id="nothing but a tunnel"),
        pytest.param([("eth0", "not an address")], [None] * 4, [], id="nonsense"),
    ],
)
def test_rank(adapters: list[tuple[str, str]], routes: list[str | None], best_first: list[str]) -> None:
    assert [address.ip for address in net.rank(adapters, routes)] == best_first


def test_this_computer_has_addresses_or_none() -> None:
    for address in net.lan_addresses():
        assert re.fullmatch(r"[\d.]+", address.ip)
        assert not address.ip.startswith(("127.", "169.254."))


def test_adapters_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no")

    monkeypatch.setattr(net.ifaddr, "get_adapters", fail)
    monkeypatch.setattr(net, "_route", lambda target: None)
    assert net.lan_addresses() == []


@pytest.mark.parametrize(
    ("host", "port", "shown"),
    [
        ("192.168.1.20", 8765, "http://192.168.1.20:8765"),
        ("192.168.1.20", 80, "http://192.168.1.20"),
        ("fd00::2", 8765, "http://[fd00::2]:8765"),
    ],
)
def test_url(host: str, port: int, shown: str) -> None:
    assert net.url(host, port) == shown


def test_a_taken_port_is_an_error() -> None:
    with net.listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        net.listen("127.0.0.1", taken.getsockname()[1])


def test_near_a_taken_port() -> None:
    with net.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with net.listen_near("127.0.0.1", port) as near, net.listen_near("127.0.0.1", port, tries=1) as far:
            assert near.getsockname()[1] in range(port + 1, port + 10)
            assert far.getsockname()[1] not in (port, near.getsockname()[1])


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(OSError, match="assign"):
        net.listen_near("192.0.2.77", 8765)


def test_a_listener_answers() -> None:
    with net.listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname(), timeout=5):
        listener.accept()[0].close()


@pytest.mark.parametrize("text", ["http://192.168.1.20:8765", "https://table.example.org/j/ABC234", "http://10.0.0.1"])
def test_the_code_in_the_terminal_can_be_read(text: str) -> None:
    drawn = net.terminal_qr(text)
    assert zxingcpp.read_barcode(picture(drawn)).text == text
    assert max(map(len, drawn.splitlines())) <= 40


def test_with_colour_it_brings_its_background() -> None:
    plain, coloured = (net.terminal_qr("http://10.0.0.1", colour).splitlines() for colour in (False, True))
    assert coloured == [f"\x1b[40;97m{line}\x1b[0m" for line in plain]


@pytest.mark.parametrize(("encoding", "fine"), [("utf-8", True), ("cp437", True), ("cp1252", False), ("ascii", False)])
def test_can_show(encoding: str, fine: bool) -> None:
    assert net.can_show(net.terminal_qr("x"), io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is fine


def test_a_pipe_takes_no_colour() -> None:
    assert not net.takes_colour(io.StringIO())


def picture(drawn: str) -> Image.Image:
    """Paints half blocks as a dark terminal shows them: light blocks on black, 8 pixels a module."""
    rows = drawn.splitlines()
    image = Image.new("L", (len(rows[0]), 2 * len(rows)))
    for y, row in enumerate(rows):
        for x, block in enumerate(row):
            image.putpixel((x, 2 * y), 255 if block in "█▀" else 0)
            image.putpixel((x, 2 * y + 1), 255 if block in "█▄" else 0)
    return image.resize((image.width * 8, image.height * 8), Image.Resampling.NEAREST)
