"""What the process asks of itself at its start, in a process of its own."""

import json
import subprocess
import sys

from support.daemon import environment

TAMED = """
import gc, json, sys
from recalld.counters import Counters
from recalld.service.process import tame_memory
kept = [{} for _ in range(1_000)]
before, counters = gc.get_freeze_count(), Counters()
tame_memory(counters)
print(json.dumps([before, gc.get_freeze_count(), gc.get_threshold()[0], counters.snapshot()]))
"""


def test_what_lives_at_the_start_is_no_matter_of_the_collector(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TAMED],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
    )
    before, frozen, young, counts = json.loads(done.stdout)
    assert before == 0
    assert frozen > 1_000
    assert young > 700
    assert counts == {}
