"""The local network: under which addresses phones reach this computer, and the code that they scan."""

import errno
import os
import socket
from collections.abc import Iterable
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from typing import NamedTuple, TextIO

import ifaddr
import qrcode
from qrcode.constants import ERROR_CORRECT_L

# Connecting a datagram socket sends nothing: it only asks the system which of our addresses leads there. The first
# target lies on no network, so it follows the default route; the others find a network that has none.
_PROBES = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")

_INNER = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "cni", "flannel", "cali", "podman")
_INNER_WORDS = ("virtualbox", "vmware", "hyper-v", "vethernet", "virtual ethernet")
_TUNNEL = ("tun", "tap", "wg", "utun", "ppp", "ipsec", "zt", "tailscale", "nordlynx", "proton", "gpd")
_TUNNEL_WORDS = ("vpn", "wireguard", "tailscale", "zerotier", "tap-windows", "anyconnect", "wintun", "fortinet")
_SHARED = IPv4Network("100.64.0.0/10")
_QUIET = 2


class Address(NamedTuple):
    """One address of this computer, and the name of the adapter that has it (empty: not known)."""

    ip: str
    adapter: str = ""


def lan_addresses() -> list[Address]:
    """Returns the addresses that phones may reach, the likeliest first; none where there is no network."""
    try:
        found = ifaddr.get_adapters()
    except OSError:
        found = []
    adapters = [(adapter.nice_name, str(ip.ip)) for adapter in found for ip in adapter.ips if ip.is_IPv4]
    return rank(adapters, [_route(target) for target in _PROBES])


def rank(adapters: Iterable[tuple[str, str]], routes: Iterable[str | None]) -> list[Address]:
    """Orders addresses, given as adapter and address, by how likely a phone reaches them.

    `routes` are the addresses from which packets to the default route and to the usual private networks would leave.
    """
    default, *others = [*routes] or [None]
    names = {ip: name for name, ip in adapters}
    for ip in (default, *others):
        if ip is not None:
            names.setdefault(ip, "")
    scored = []
    inner = []
    for ip, name in names.items():
        try:
            address = IPv4Address(ip)
        except AddressValueError:
            continue
        if address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast:
            continue
        found = Address(ip, name)
        # A bridge to containers or virtual machines leads to no phone, unless the way out runs over it.
        if _is(name, _INNER, _INNER_WORDS) and ip != default:
            inner.append(found)
            continue
        tunnel = address in _SHARED or _is(name, _TUNNEL, _TUNNEL_WORDS)
        against = (tunnel, not address.is_private, ip != default, ip not in others, not ip.startswith("192.168."))
        scored.append((against, found))
    return [found for _, found in sorted(scored, key=lambda pair: pair[0])] or inner


def url(host: str, port: int) -> str:
    """Returns the address to type: without the port where it is the usual one."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" + ("" if port == 80 else f":{port}")


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that listens there; port 0 takes any free one. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, where = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # On Windows the same option would let two programs share one port.
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(1024)
    except BaseException:
        listener.close()
        raise
    return listener


def listen_near(host: str, port: int, tries: int = 10) -> socket.socket:
    """Returns a socket on this port or, where it is taken, on one just above it, else on any. Raises OSError."""
    for candidate in (*range(port, port + tries), 0):
        try:
            return listen(host, candidate)
        except OSError as error:
            if candidate == 0 or error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    raise AssertionError("port 0 is free or an error")


def terminal_qr(text: str, colour: bool = False) -> str:
    """Draws a QR code in half blocks for a dark background; with `colour` it brings its own background."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_L, border=_QUIET)
    code.add_data(text)
    matrix = code.get_matrix()
    if len(matrix) % 2:
        matrix = [*matrix, [False] * len(matrix[0])]
    blocks = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    lines = [
        "".join(blocks[pair] for pair in zip(above, below, strict=True))
        for above, below in zip(matrix[::2], matrix[1::2], strict=True)
    ]
    if colour:
        lines = [f"\x1b[40;97m{line}\x1b[0m" for line in lines]
    return "\n".join(lines)


def can_show(text: str, stream: TextIO) -> bool:
    """Tells whether a stream's encoding has every character of a text."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def takes_colour(stream: TextIO) -> bool:
    """Tells whether a stream is a terminal that understands colours."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or "WT_SESSION" in os.environ


def _route(target: str) -> str | None:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _is(name: str, starts: tuple[str, ...], words: tuple[str, ...]) -> bool:
    lower = name.lower()
    return lower.startswith(starts) or any(word in lower for word in words)
