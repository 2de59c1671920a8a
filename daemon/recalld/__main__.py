"""``python -m recalld``: the same as the ``recalld`` script."""

import sys

from recalld.cli import main

if __name__ == "__main__":
    sys.exit(main())
