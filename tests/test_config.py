"""Settings: what the command line and the environment say, the kept key, and folders to beware of."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from companion import config

KEY = "k" * 32
HOSTED = {"COMPANION_HOSTED": "1", "COMPANION_SECRET_KEY": KEY, "COMPANION_PUBLIC_URL": "https://table.example.org"}


def test_a_laptop_needs_no_settings(tmp_path: Path) -> None:
    settings = config.load(environ={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")})
    assert settings.data.is_dir()
    assert settings.database_url == f"sqlite:///{settings.data.as_posix()}/tables.sqlite3"
    assert (settings.public_url, settings.hosted, settings.proxies, settings.keep_days) == (None, False, 0, 0)
    assert len(settings.secret_key) >= config.KEY_BYTES


def test_the_command_line_goes_before_the_environment(tmp_path: Path) -> None:
    environ = {"COMPANION_DATA": str(tmp_path / "env"), "COMPANION_PUBLIC_URL": "http://env.test"}
    settings = config.load(data=str(tmp_path / "typed"), public_url="http://typed.test/", port=9000, environ=environ)
    assert (settings.data, settings.public_url, settings.port) == (tmp_path / "typed", "http://typed.test", 9000)
    assert config.load(environ=environ).data == tmp_path / "env"


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {"HOME": "/home/ann"}, "/home/ann/.local/share/companion"),
        ("linux", {"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, "/data/companion"),
        ("linux", {"HOME": "/home/ann", "XDG_DATA_HOME": "data"}, "/home/ann/.local/share/companion"),
        ("darwin", {"HOME": "/Users/ann"}, "/Users/ann/Library/Application Support/Companion"),
        ("win32", {"LOCALAPPDATA": "/ann/Local"}, "/ann/Local/Companion"),
        ("win32", {"USERPROFILE": "/ann"}, "/ann/AppData/Local/Companion"),
    ],
)
def test_data_home(platform: str, environ: dict[str, str], folder: str) -> None:
    assert config.data_home(environ, platform) == Path(folder)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_by_url(scheme: str, tmp_path: Path) -> None:
    environ = {**HOSTED, "COMPANION_DATABASE_URL": f"{scheme}://me:pw@db/tables"}
    settings = config.load(data=str(tmp_path / "none"), environ=environ)
    assert settings.database_url == "postgresql+psycopg://me:pw@db/tables"
    assert not settings.data.exists(), "with the database and the key elsewhere there is nothing to keep here"
    assert (settings.hosted, settings.proxies, settings.keep_days) == (True, 1, 90)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"COMPANION_SECRET_KEY": ""}, "config.hosted-needs-key"),
        ({"COMPANION_PUBLIC_URL": ""}, "config.hosted-needs-url"),
        ({"COMPANION_SECRET_KEY": "short"}, "config.key-too-short"),
        ({"COMPANION_HOSTED": "maybe"}, "config.not-yes-no"),
        ({"COMPANION_PROXIES": "-1"}, "config.not-a-number"),
        ({"COMPANION_KEEP_DAYS": "9999999"}, "config.not-a-number"),
        ({"COMPANION_PUBLIC_URL": "ftp://table.example.org"}, "config.bad-url"),
        ({"COMPANION_PUBLIC_URL": "https://table.example.org/games"}, "config.bad-url"),
        ({"COMPANION_PUBLIC_URL": "https://me@table.example.org"}, "config.bad-url"),
        ({"COMPANION_PUBLIC_URL": "https://table.example.org:port"}, "config.bad-url"),
        ({"COMPANION_PUBLIC_URL": "https://"}, "config.bad-url"),
    ],
)
def test_settings_that_cannot_be_used(changes: dict[str, str], code: str, tmp_path: Path) -> None:
    with pytest.raises(config.ConfigError) as caught:
        config.load(data=str(tmp_path), environ={**HOSTED, **changes})
    assert caught.value.code == code


def test_a_public_name_needs_no_scheme(tmp_path: Path) -> None:
    assert config.load(data=str(tmp_path), public_url="laptop.local:8765", environ={}).public_url == "http://laptop.local:8765"


def test_the_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    first = config.load(data=str(tmp_path), environ={}).secret_key
    assert config.load(data=str(tmp_path), environ={}).secret_key == first
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["secret-key"]


def test_a_key_open_to_all_is_closed(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text(KEY)
    (tmp_path / "secret-key").chmod(0o644)
    assert config.kept_key(tmp_path / "secret-key") == KEY.encode()
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


def test_processes_that_start_together_get_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: config.kept_key(tmp_path / "secret-key"), range(32)))
    assert len(keys) == 1


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: Path, target: Path) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", fail)
    key = config.kept_key(tmp_path / "secret-key")
    assert config.kept_key(tmp_path / "secret-key") == key
    assert os.listdir(tmp_path) == ["secret-key"]


def test_a_damaged_key_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("")
    with pytest.raises(config.ConfigError, match="key-file-broken"):
        config.kept_key(tmp_path / "secret-key")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(config.ConfigError, match="no-folder"):
        config.load(data=str(tmp_path / "file" / "data"), environ={})


def test_secrets_stay_out_of_logs(tmp_path: Path) -> None:
    settings = config.load(data=str(tmp_path), environ={})
    assert settings.secret_key.decode() not in repr(settings)
    assert settings.database_url not in repr(settings)


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local ext4 rw 0 0
//box/share /media/My\\040Share cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "doubt"),
    [
        ("/var/lib/companion", None),
        ("/home/ann/.local/share/companion", "network"),
        ("/home/local/companion", None),
        ("/media/My Share/companion", "network"),
        ("/var/Dropbox/companion", "synced"),
        ("/var/OneDrive - Cafe/companion", "synced"),
        ("/var/Mobile Documents/companion", "synced"),
    ],
)
def test_doubtful_folders(folder: str, doubt: str | None) -> None:
    assert config.doubtful_folder(Path(folder), MOUNTS) == doubt


def test_this_computers_mounts_can_be_read(tmp_path: Path) -> None:
    assert config.doubtful_folder(tmp_path) in (None, "network")
