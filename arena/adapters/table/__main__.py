"""`python -m arena.adapters.table`: see `arena.adapters.table.program`."""

from __future__ import annotations

import sys

from arena.adapters.table.program import main

if __name__ == "__main__":
    sys.exit(main())
