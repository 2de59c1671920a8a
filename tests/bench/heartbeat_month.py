"""A simulated month of heartbeats, drawn: a row for each day, a sign for each half hour.

    PYTHONPATH=daemon:tests python -m bench heartbeat-month [--autonomy observe|suggest|act]

The same month every time; see ``support.month_world`` for what happens in it. Measures nothing.
"""

import argparse
import sys

from recalld.heartbeat.model import Autonomy
from support.heartbeat_month import month
from support.month_report import report


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench heartbeat-month")
    parser.add_argument(
        "--autonomy", type=Autonomy, choices=list(Autonomy), default=Autonomy.SUGGEST
    )
    print(report(month(parser.parse_args(arguments).autonomy)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
