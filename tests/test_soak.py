"""The soak in short; in full by hand: `python -m tests.soak`."""

from pathlib import Path

import pytest

from tests.pg import Cluster
from tests.soak import Servers, soak

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_nothing_acknowledged_is_lost_or_doubled(kind: str, tmp_path: Path) -> None:
    """One process on SQLite, two on one PostgreSQL, killed and given another key meanwhile."""
    cluster = Cluster() if kind == "postgresql" else None
    try:
        servers = Servers(tmp_path, cluster.new_database() if cluster else None, 2 if cluster else 1)
        try:
            found = soak(servers, tables=3, entries=6, kills=2)
        finally:
            servers.close()
    finally:
        if cluster:
            cluster.close()
    assert found.clean, found
    assert found.acknowledged >= 3 * 3 * 6
    # Two processes may be done before both have another key.
    for what in ("no server", "answers lost", "repeats", "409", *(() if cluster else ("keys turned",))):
        assert found.counts[what], what
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8", errors="replace")
