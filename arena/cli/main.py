"""The command `arena`. Entry point: `main`. Ctrl-C is answered in one line from the first import on."""

import os
import signal
import sys


def _end_at_once(_signal: int, _frame: object) -> None:
    # Nothing has begun, so there is nothing to tidy; an exception could end up inside any import.
    os.write(2, b"arena: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line of this process."""
    signal.signal(signal.SIGINT, _end_at_once)
    from arena.cli.app import run

    sys.exit(run(sys.argv[1:], lambda: signal.signal(signal.SIGINT, signal.default_int_handler)))


if __name__ == "__main__":
    main()
