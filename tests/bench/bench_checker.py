"""What an answer of the trick checker costs: server time of each page and of its parts, and the size of what is sent.

Run by hand: `python -m tests.bench.bench_checker`. Each figure is the median and the worst of many requests.
"""

import gzip
import statistics
import sys
import tempfile
import time

from companion.app import create_app
from companion.config import load

ROUNDS = 60
HOST = {"Host": "192.168.1.20:8765"}
PAGES = {
    "Leapfrog!, nothing laid": "leapfrog?order=SHC",
    "Leapfrog!, three cards": "leapfrog?order=SHC&plays=0:10S,1:9S,0:8H",
    "Leapfrog!, ruling with tokens": "leapfrog?order=SHC&frogs=61&king=0&plays=1:10S,0:9S,1:leap,0:5C&who=Ann&who=Ben",
    "Leapfrog!, a hand of 14": "leapfrog?order=SHC&plays=0:7H&ask=1&hand=AS,2S,3S,4S,5S,6S,7S,8S,AH,2H,3H,AC,2C,3C",
    "Leapfrog!, all 24 orders": "leapfrog?order=SHC&at=order",
    "Measure and Tempo, nothing laid": "measure-and-tempo?guards=-,-",
    "Measure and Tempo, ruling": "measure-and-tempo?guards=KS,3C&plays=0:9H,1:2S",
    "Measure and Tempo, a Guard": "measure-and-tempo?guards=KS,3C&at=guards0",
    "Chameleon Tricks, one stack": "chameleon-tricks?plays=0:7C-7D",
    "Chameleon Tricks, ruling": "chameleon-tricks?plays=0:7C-7D,1:2C,2:3H",
    "a bad address": "leapfrog?order=SHZ&plays=0:10S,1:9S,0:2S,1:5X&what=1",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        app = create_app(load(data=data, environ={}))
        client = app.test_client()
        for name, address in PAGES.items():
            for kind, accept in (("page", "text/html"), ("parts", "application/json")):
                took, body = [], b""
                for _ in range(ROUNDS):
                    begun = time.perf_counter()
                    answer = client.get(f"/check/{address}", headers={**HOST, "Accept": accept})
                    body = answer.data
                    took.append(1000 * (time.perf_counter() - begun))
                first, *rest = took
                size = len(gzip.compress(body, 6)) / 1024
                sys.stdout.write(
                    f"{name:34}{kind:6} median {statistics.median(rest):6.1f} ms   worst {max(rest):6.1f} ms"
                    f"   first {first:6.1f} ms   {len(body) / 1024:5.1f} kB, packed {size:4.1f}\n"
                )
        app.extensions["tables"].store.close()


if __name__ == "__main__":
    main()
