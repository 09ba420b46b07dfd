"""The process of remote bots: they connect here, and their matches are refereed here.

    python -m arena.remote [--address HOST:PORT --certificate FILE --key FILE] [--socket FILE] [--patience S]
                           [--hosted-matches N]

It is started by `arena.executor.remote_bots_process`, not by people, and ends with the process that started it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from arena.hosting.errors import HostingError
from arena.hosting.prctl import die_with_parent
from arena.remote.lobby import Lobby
from arena.remote.match_worker import CoordinatorLink, RemoteHost, RemoteLoop, SharedProcessPool
from arena.remote.pending_matches import WaitingRoom
from arena.remote.server import RemoteServer, TlsEndpoint
from arena.worker.process_setup import check_limits, open_stdin, take_stdout

NICE = 10
"""Hosted matches come first: a remote bot waits longer for its network than for a processor."""
WARM_BOTS = 8


async def _serve(options: argparse.Namespace, output: int) -> None:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(output, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    coordinator = CoordinatorLink(writer)
    lobby = Lobby(coordinator.send_presence)
    room = WaitingRoom(lobby, options.patience)
    server = RemoteServer(lobby, coordinator.admit)
    async with SharedProcessPool(options.hosted_matches, WARM_BOTS, options.warm_memory) as shared_pool:
        reader = await open_stdin()
        endpoint = TlsEndpoint(options.address, options.certificate, options.key) if options.address else None
        port = await server.start(endpoint, options.socket)
        coordinator.send_event("ready", port=port)
        beats = asyncio.create_task(coordinator.beat())
        try:
            await RemoteLoop(coordinator, lobby, room, RemoteHost(lobby, room, shared_pool)).serve(reader)
        finally:
            beats.cancel()
            await server.stop()
    writer.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; return 0 when told to stop, or 1 with one line on stderr if that is impossible."""
    parser = argparse.ArgumentParser(prog="python -m arena.remote", description=__doc__)
    parser.add_argument("--address", help="where bots connect over TLS")
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--socket", type=Path, help="where the seats of people are taken, by programs on this machine")
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to wait for a bot that is away")
    parser.add_argument("--hosted-matches", type=int, default=2, help="matches with hosted bots at once")
    parser.add_argument("--warm-memory", type=int, metavar="MB", help="what idle bots may hold; no bound by default")
    options = parser.parse_args(arguments)
    die_with_parent(signal.SIGKILL)  # a launcher sees the end of this process and clears up
    os.nice(NICE)
    try:
        check_limits()
        asyncio.run(_serve(options, take_stdout()))
    except (OSError, RuntimeError, HostingError) as error:
        print(f"remote: {error}", file=sys.stderr)  # noqa: T201 - the coordinator keeps it
        return 1
    return 0


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main())
