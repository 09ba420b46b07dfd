"""Makes what plays the matches of a tournament: workers of this machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from arena.cli.shared.granting import granted_workers
from arena.cli.shared.hosting_options import AUTO, RAY, HostingOptions
from arena.cli.shared.saying import told
from arena.executor.interface import Executor
from arena.executor.local import LocalExecutor
from arena.hosting.sandbox.programs import StoredPrograms
from ratings.read.tournaments import TournamentRow


def make_executor(
    row: TournamentRow, hosting: HostingOptions, programs: StoredPrograms, levels: Iterable[str]
) -> Executor:
    """Return the executor for what is left of a tournament, whose bots run at these levels of the sandbox.

    It has no more workers than there are matches to play, and at least one, so that an empty run says so itself.
    """
    left = max(1, row.progress.planned + row.progress.leased)
    if hosting.executor == RAY:
        return _of_cluster(row, hosting, programs, levels, left)
    workers = min(granted_workers(hosting.workers, row.pool.cores), left)
    return LocalExecutor(workers, warm_mb=hosting.warm_mb, cores=row.pool.cores)


def _of_cluster(
    row: TournamentRow, hosting: HostingOptions, programs: StoredPrograms, levels: Iterable[str], left: int
) -> Executor:
    from arena.executor.ray.executor import RayExecutor  # only who asks for a cluster needs what is behind it
    from arena.executor.ray.proving import Demands, RayOptions

    options = RayOptions(
        address="" if hosting.address == AUTO else hosting.address,
        workers=min(hosting.workers or left, left),
        cores=row.pool.cores,
        warm_mb=hosting.warm_mb,
        runtimes=programs.runtimes.tables(),
        demands=Demands(games=(row.pool.game,), levels=sorted(levels)),
        report=_show,
    )
    return RayExecutor(options)


def _show(sentence: str) -> None:
    typer.echo(f"arena: {told(sentence)}", err=True)
