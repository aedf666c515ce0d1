"""The options in the environment."""
import os
from dataclasses import dataclass

HELP = """usage: make bench [ARGUMENTS=--help]

Measures a release build on this machine: every load and page in one table, each with its target. Traffic goes to
127.0.0.1 only. Needs wrk, cc and python3 (apt-get install wrk gcc python3).

  ROUNDS=3          how often each load of requests is repeated; the table has medians
  SECONDS_EACH=5    how long each repetition lasts
  QUICK=1           small loads, for a trial of a few minutes; do not quote its figures
  ONLY=name,…       only these rows:
                    {names}
  PLUMB=path        another binary than .build/release/plumb
  EARLIER=path      an earlier binary, such as plumb-0.1.0. Loads of requests alternate between both, and the table has
                    the processor time divided by that of the earlier one
  RECORD=1          also writes the figures into Benchmarks/results.json and the tables of docs/performance.md

growth is measured only if ONLY names it, because it takes long. It writes docs/images/growth-*.svg. `make bench
ONLY=all` measures everything except flames: flame graphs of four loads, docs/images/flame-*.svg. They need perf. With
FLAMES=-before, the names of the files end with -before.
"""


@dataclass
class Options:
    rounds: int
    seconds: int
    quick: bool
    only: list
    record: bool
    earlier: str

    @staticmethod
    def read():
        quick = os.environ.get("QUICK", "") not in ("", "0")
        return Options(
            int(os.environ.get("ROUNDS", 1 if quick else 3)), int(os.environ.get("SECONDS_EACH", 2 if quick else 5)),
            quick, [name for name in os.environ.get("ONLY", "").split(",") if name],
            bool(os.environ.get("RECORD")), os.environ.get("EARLIER"))

    @property
    def shrink(self):
        """The factor by which large loads are smaller."""
        return 20 if self.quick else 1

    @property
    def fleet(self):
        return 20_000 // self.shrink

    @property
    def turns(self):
        """How often a page is requested."""
        return 5 if self.quick else 20

    @property
    def suffix(self):
        """The suffix that distinguishes files of small loads from those of large ones."""
        return "-quick" if self.quick else ""
