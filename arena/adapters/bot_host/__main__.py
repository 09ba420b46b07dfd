"""`python -m arena.adapters.bot_host`: see `arena.adapters.bot_host.program`."""

from __future__ import annotations

import sys

from arena.adapters.bot_host.program import main

if __name__ == "__main__":
    sys.exit(main())
