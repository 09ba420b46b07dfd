"""The worker process: plays matches that the coordinator sends to its stdin, and reports on stdout.

    python -m arena.worker [--cores N,N] [--warm-bots N] [--warm-memory MB] [--memory MB] [--cpu SECONDS]
                           [--apart] [--patient] [--profile DIRECTORY]

It is started by `arena.executor.local`, not by people, and ends with the process that started it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from arena.hosting.crashes import exit_over_limit
from arena.hosting.errors import HostingError
from arena.hosting.prctl import die_with_parent
from arena.match.result import HostBrokenError
from arena.referee.queue.loop import run
from arena.worker.host import MatchHost
from arena.worker.loop import WorkerLoop
from arena.worker.own_limits import OwnLimits
from arena.worker.process import allow_many_descriptors, check_limits, check_room, open_stdin, pin, take_stdout
from arena.worker.warm_bots import DEFAULT_WARM_BOTS


async def _serve(output: int, options: argparse.Namespace) -> None:
    reader = await open_stdin()
    await check_room(reader, is_patient=options.patient)
    async with _host(options) as host:
        await WorkerLoop(host, reader, output).serve()


def _host(options: argparse.Namespace) -> AbstractAsyncContextManager[MatchHost]:
    own = OwnLimits(options.memory, options.cpu)
    if options.profile is None:
        return MatchHost(options.warm_bots, options.warm_memory, own, apart=options.apart)
    from arena.worker.profiled_host import profiled  # only a worker that is profiled pays for it

    return profiled(options.profile, options.warm_bots, options.warm_memory, own, apart=options.apart)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; return 0 when told to stop, or 1 with one line on stderr if the host is broken."""
    parser = argparse.ArgumentParser(prog="python -m arena.worker", description=__doc__)
    parser.add_argument("--cores", default="", metavar="N,N", help="the cores that it and its bots stay on")
    parser.add_argument("--warm-bots", type=int, default=DEFAULT_WARM_BOTS)
    parser.add_argument("--warm-memory", type=int, metavar="MB", help="what idle bots may hold; no bound by default")
    parser.add_argument(
        "--memory", type=int, metavar="MB", default=OwnLimits().memory_mb, help="what it may hold itself"
    )
    parser.add_argument(
        "--cpu", type=float, metavar="SECONDS", default=OwnLimits().cpu_s, help="what no match explains"
    )
    parser.add_argument("--apart", action="store_true", help="have each bot's listener served by a process of its own")
    parser.add_argument("--patient", action="store_true", help="wait while there is no room for a bot")
    parser.add_argument("--profile", type=Path, metavar="DIRECTORY", help="write there where time goes")
    options = parser.parse_args(arguments)
    die_with_parent(signal.SIGKILL)  # the launcher sees the end of this process and clears up
    pin(options.cores)
    allow_many_descriptors()
    try:
        check_limits()
        run(_serve(take_stdout(), options))
    except (HostingError, HostBrokenError) as error:
        print(f"worker: {error}", file=sys.stderr)  # noqa: T201 - the coordinator keeps it
        return 1
    except BrokenPipeError:
        return 1
    except MemoryError:
        exit_over_limit("worker: it had no memory left")
    return 0
