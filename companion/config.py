"""What the program is told from outside: where data lies, who may reach it, and its key."""

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

KEY_BYTES = 32
DATABASE = "tables.sqlite3"
_SYNCED = (
    "dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents", "nextcloud", "syncthing",
)  # fmt: skip
_NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs sshfs fuse.sshfs 9p afs webdav davfs fuse.davfs2 glusterfs ceph".split()
)


class ConfigError(Exception):
    """The settings cannot be used: `code` is a catalogue key, `params` go into its sentence."""

    def __init__(self, code: str, **params: str) -> None:
        super().__init__(code, params)
        self.code = code
        self.params = params


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one process."""

    data: Path
    """The folder for the database, the key and backups."""
    database_url: str = field(repr=False)
    """An SQLAlchemy address; it may hold a password."""
    secret_key: bytes = field(repr=False)
    """Signs sessions and form tokens; the same for all processes of one installation."""
    public_url: str | None = None
    """The address under which phones reach us, without a slash at the end; None: whatever the local network says."""
    hosted: bool = False
    """On the open internet, behind a proxy that speaks HTTPS: fixed host names, Secure cookies, rate limits, expiry."""
    proxies: int = 0
    """How many proxies in front of us may be believed."""
    keep_days: int = 0
    """Tables untouched for so many days expire; 0: never."""
    port: int = 8765
    """The port that this process listens on, for the addresses that the pages show."""


def data_home(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Returns the platform's folder for this user's data."""
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Companion"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Companion"
    base = Path(environ.get("XDG_DATA_HOME") or "")
    # The XDG rules: a relative path is to be ignored.
    return (base if base.is_absolute() else home / ".local" / "share") / "companion"


def load(
    *,
    data: str | None = None,
    public_url: str | None = None,
    port: int = 8765,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """Builds the settings: what the command line says, else the environment, else what suits a laptop at the table.

    Raises ConfigError.
    """
    env = os.environ if environ is None else environ
    folder, database_url = place(data, env)
    hosted = _yes_no(env, "COMPANION_HOSTED")
    public = public_url or env.get("COMPANION_PUBLIC_URL") or None
    if public is not None:
        public = _public(public)
    key = env.get("COMPANION_SECRET_KEY") or ""
    if hosted and not key:
        raise ConfigError("config.hosted-needs-key")
    if hosted and public is None:
        raise ConfigError("config.hosted-needs-url")
    if hosted and not str(public).startswith("https:"):
        raise ConfigError("config.hosted-needs-https", url=str(public))
    if key and len(key.encode()) < KEY_BYTES:
        raise ConfigError("config.key-too-short", least=str(KEY_BYTES))
    if not key or database_url.startswith("sqlite"):
        make_folder(folder)
    return Config(
        data=folder,
        database_url=database_url,
        secret_key=key.encode() if key else kept_key(folder / "secret-key"),
        public_url=public,
        hosted=hosted,
        proxies=_whole(env, "COMPANION_PROXIES", 1 if hosted else 0),
        keep_days=_whole(env, "COMPANION_KEEP_DAYS", 90 if hosted else 0),
        port=port,
    )


def place(data: str | None, environ: Mapping[str, str]) -> tuple[Path, str]:
    """Returns the data folder and the database's address, and makes neither."""
    folder = Path(data or environ.get("COMPANION_DATA") or data_home(environ)).expanduser().absolute()
    database_url = environ.get("COMPANION_DATABASE_URL") or sqlite_url(folder)
    # The address that hosting companies hand out names no driver.
    for short in ("postgres://", "postgresql://"):
        if database_url.startswith(short):
            database_url = "postgresql+psycopg://" + database_url.removeprefix(short)
    return folder, database_url


def sqlite_url(folder: Path) -> str:
    """Returns the address of the database in a data folder."""
    return f"sqlite:///{(folder / DATABASE).as_posix()}"


def make_folder(folder: Path) -> None:
    """Makes the data folder, for this user only. Raises ConfigError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError as error:
        raise ConfigError("config.no-folder", folder=str(folder), reason=error.strerror or str(error)) from None
    if not writable:
        raise ConfigError("config.no-folder", folder=str(folder), reason=os.strerror(13))


def kept_key(path: Path) -> bytes:
    """Returns the key kept in this file (mode 0600), made on first use. Raises ConfigError."""
    try:
        try:
            # Whole or not at all: two processes that start together must end with the same key.
            fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            if not path.exists():
                descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(secrets.token_hex(KEY_BYTES).encode())
                    file.flush()
                    os.fsync(file.fileno())
                _claim(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
        key = path.read_bytes().strip()
    except OSError as error:
        raise ConfigError("config.no-folder", folder=str(path), reason=error.strerror or str(error)) from None
    if len(key) < KEY_BYTES:
        raise ConfigError("config.key-file-broken", file=str(path))
    return key


def _claim(fresh: Path, path: Path) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    except OSError:
        # A file system without hard links.
        if not path.exists():
            os.replace(fresh, path)


def doubtful_folder(folder: Path, mounts: str | None = None) -> str | None:
    """Returns why a database had better not lie here (`synced`, `network`), or None."""
    parts = [part.lower() for part in folder.resolve().parts]
    if any(part.startswith(name) for part in parts for name in _SYNCED):
        return "synced"
    if folder.drive.startswith("\\\\") or folder.as_posix().startswith("//"):
        return "network"
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
    inside = folder.resolve()
    found, kind = -1, ""
    for line in mounts.splitlines():
        _, _, rest = line.partition(" ")
        point, _, rest = rest.partition(" ")
        where = Path(point.replace("\\040", " "))
        if inside.is_relative_to(where) and len(where.parts) >= found:
            found, kind = len(where.parts), rest.partition(" ")[0]
    return "network" if kind in _NETWORK else None


def _public(url: str) -> str:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine or parts.path.strip("/") or parts.query or parts.fragment or parts.username:
        raise ConfigError("config.bad-url", url=url)
    return f"{parts.scheme}://{parts.netloc}"


def _yes_no(env: Mapping[str, str], name: str) -> bool:
    value = env.get(name, "").strip().lower()
    if value not in ("", "0", "1", "no", "yes", "false", "true"):
        raise ConfigError("config.not-yes-no", name=name, value=value)
    return value in ("1", "yes", "true")


def _whole(env: Mapping[str, str], name: str, default: int) -> int:
    value = env.get(name, "").strip()
    if value and not (value.isascii() and value.isdecimal() and len(value) < 6):
        raise ConfigError("config.not-a-number", name=name, value=value)
    return int(value) if value else default
