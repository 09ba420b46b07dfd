"""Runs `arena.worker.worker_loop`, the worker process, with gRPC set up before anything imports it."""

from __future__ import annotations

import contextlib
import sys

from arena.wire.completion_queue_check import prepare


def main() -> int:
    """Serve, as the program does."""
    prepare()
    from arena.worker import worker_loop as program

    return program.main()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
