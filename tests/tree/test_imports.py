"""Who may import whom, read from the sources: the file boundaries that keep each part usable alone."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.reporting import report
from tests.support.sources import facts_of, sources_below

OURS = {"arena", "bots", "engine", "ratings"}
EXAMPLES = {"game_connect_four"}
WIRE = ("arena.v1", "arena.games")
LEAF = ("engine.translatable", "engine.os_errors")
"""What every part of ours may import: every part speaks to people, and these import nothing else of ours."""
BOOK = ("ratings.store", "ratings.statistics", "ratings.values", "ratings.errors")


@dataclass(frozen=True, slots=True)
class Boundary:
    """What the files under one folder may import besides the standard library."""

    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


BOUNDARIES = {
    "engine": Boundary(("engine",)),
    "engine/openspiel/library.py": Boundary(("engine",), ("pyspiel",)),
    "engine/openspiel/wire.py": Boundary(("engine", *WIRE), ("google",)),
    # For annotations alone: mypy and mypyc read them there, and no process imports it.
    "engine/mypyc_support.py": Boundary(("engine",), ("mypy_extensions",)),
    "engine/games/*/wire.py": Boundary(("engine", *WIRE), ("google",)),
    "arena/v1": Boundary(WIRE, ("google", "grpc")),
    "arena/games": Boundary(WIRE, ("google", "grpc")),
    "bots": Boundary(("bots", "arena.match", "arena.wire", "engine", *WIRE), ("google", "grpc")),
    "bots/training": Boundary(("bots", "engine"), ("numpy",)),
    "ratings": Boundary(),
    "ratings/values": Boundary(("ratings.values",)),
    "ratings/statistics": Boundary(("ratings.statistics", "ratings.values"), ("numpy", "openskill", "trueskill")),
    "ratings/store": Boundary(
        ("ratings.store", "ratings.values", "ratings.errors"), ("sqlmodel", "sqlalchemy", "alembic", "psycopg")
    ),
    "ratings/ledger": Boundary(("ratings.ledger", *BOOK), ("sqlmodel", "sqlalchemy")),
    "ratings/read": Boundary(("ratings.read", *BOOK), ("sqlmodel", "sqlalchemy")),
    # NumPy only in the statistics, and where the columns that they start from are loaded.
    "ratings/read/official_table_input.py": Boundary(("ratings.read", *BOOK), ("numpy", "sqlalchemy", "sqlmodel")),
    "arena/match": Boundary(("arena.match", "engine")),
    "arena/story": Boundary(("arena.story", "arena.model", "arena.match", "engine")),
    # PettingZoo, Gymnasium and OpenSpiel are imported by their names (`arena.adapters.library`).
    "arena/adapters": Boundary(
        (
            *("arena.adapters", "arena.hosting.framed_pipe", "arena.match", "arena.wire", "arena.v1", "bots", "engine"),
            "arena.i18n.sanitize",
            "arena.tournament.formats",
        ),
        ("numpy",),
    ),
    "arena/adapters/bot_host.py": Boundary(
        (
            "arena.adapters.bot_host",
            "arena.app.bot_store",
            "arena.referee",
            "arena.worker",
            "arena.hosting",
            "arena.match",
            "arena.wire",
            "ratings",
        )
    ),
    "arena/wire": Boundary(("arena.wire", "arena.match", "engine", *WIRE), ("google", "orjson")),
    "arena/referee": Boundary(
        ("arena.referee", "arena.match", "arena.wire", "engine", *WIRE), ("google", "grpc", "grpc_health", "structlog")
    ),
    "arena/hosting": Boundary(("arena.hosting",), ("structlog",)),
    "arena/conform": Boundary(
        (
            "arena.conform",
            "arena.referee.call_context",
            "arena.referee.framing",
            "arena.hosting",
            "arena.match",
            "arena.wire",
            "arena.v1",
            "engine",
        ),
        ("google", "grpc", "grpc_health"),
    ),
    "arena/conform/rules.py": Boundary(()),
    "arena/worker": Boundary(("arena.worker", "arena.referee", "arena.hosting", "arena.match", "arena.wire")),
    "arena/worker/profiled_host.py": Boundary(("arena.worker", "arena.match", "arena.profiling")),
    "arena/profiling": Boundary(("arena.profiling", "arena.hosting.procfs")),
    "arena/remote": Boundary(
        ("arena.remote", "arena.worker", "arena.referee", "arena.hosting", "arena.match", "arena.wire", "arena.v1"),
        ("grpc", "grpc_health"),
    ),
    "arena/executor": Boundary(("arena.executor", "arena.hosting", "arena.match"), ("structlog",)),
    # Ray itself is imported by its name, when it is needed (`arena.executor.ray.library`).
    "arena/executor/ray": Boundary(("arena.executor", "arena.hosting", "arena.match", "engine.registry")),
    "arena/tournament": Boundary(("arena.tournament", "arena.match", "ratings", "engine"), ("structlog",)),
    "arena/tournament/seed_key.py": Boundary(("arena.tournament.errors", "engine"), ("cryptography",)),
    "arena/tournament/formats": Boundary(
        ("arena.tournament.formats", "ratings.statistics", "ratings.values", "engine")
    ),
    "arena/trial": Boundary(
        (
            "arena.trial",
            "arena.model",
            "arena.tournament",
            "arena.match",
            "arena.hosting",
            "ratings.statistics",
            "engine",
        )
    ),
    "arena/service": Boundary(
        (
            "arena.service",
            "arena.i18n.sanitize",
            "arena.model",
            "arena.app",
            "arena.rpc",
            "arena.trial",
            "arena.tournament",
            "arena.executor",
            "arena.match",
            "arena.hosting",
            "arena.v1",
            "ratings",
            "engine",
        ),
        ("google", "grpc", "structlog"),
    ),
    "arena/service/settings.py": Boundary(
        ("arena.service", "ratings", "engine"), ("annotated_types", "pydantic", "pydantic_core")
    ),
    # The arithmetic of Elo is that of the sentence which says how a comparison stands.
    "arena/model": Boundary(("arena.model", "engine", "ratings.values", "ratings.statistics.scores")),
    "arena/app": Boundary(
        ("arena.app", "arena.model", "arena.tournament", "arena.match", "arena.hosting", "ratings", "engine")
    ),
    "arena/app/bot_store.py": Boundary(
        ("arena.hosting", "arena.model.bots", "arena.tournament.seed_key", "ratings"), ("platformdirs",)
    ),
    "arena/rpc": Boundary(
        ("arena.rpc", "arena.model", "arena.hosting", "arena.v1", "arena.wire", "ratings.values"),
        ("google", "grpc", "cryptography"),
    ),
    "arena/rpc/protobuf_codec.py": Boundary(("arena.model",), ("google",)),
    "arena/rpc/profiles.py": Boundary(("arena.rpc", "arena.model", "ratings.values"), ("platformdirs",)),
    "arena/service/server": Boundary(
        (
            "arena.service",
            "arena.model",
            "arena.app",
            "arena.rpc",
            "arena.hosting",
            "arena.wire",
            "arena.v1",
            "ratings",
        ),
        ("google", "grpc", "grpc_health", "grpc_reflection", "cryptography", "structlog"),
    ),
    "arena/i18n": Boundary(("arena.i18n",)),
    "arena/web": Boundary(
        (
            "arena.web",
            "arena.i18n",
            "arena.story",
            "arena.model",
            "arena.app",
            "arena.rpc",
            "arena.hosting",
            "arena.match",
            "arena.wire",
            "arena.v1",
            "ratings.store",
            "ratings.values",
            "ratings.errors",
            "ratings.statistics",
            "engine",
        ),
        (
            "fastapi",
            "google",
            "grpc",
            "jinja2",
            "markdown_it",
            "markupsafe",
            "pydantic",
            "sse_starlette",
            "starlette",
            "structlog",
            "uvicorn",
        ),
    ),
    "arena/web/people": Boundary(
        (
            "arena.web",
            "arena.i18n",
            "arena.model",
            "arena.rpc",
            "arena.story",
            "arena.connect",
            "arena.hosting.sample_bots",
            "arena.wire",
            "arena.v1",
            "ratings.store",
            "ratings.values",
            "ratings.errors",
            "engine",
        ),
        ("fastapi", "grpc", "sse_starlette", "starlette", "structlog"),
    ),
    "arena/connect": Boundary(
        (
            "arena.connect",
            "arena.rpc",
            "arena.model",
            "arena.worker",
            "arena.referee",
            "arena.hosting",
            "arena.match",
            "arena.wire",
            "arena.v1",
            "ratings.values",
            "engine",
        ),
        ("grpc",),
    ),
    # pandas and cloudpickle are imported by their names, when they are needed (`arena.scripting.errors.need_package`).
    "arena/scripting": Boundary(
        (
            "arena.scripting",
            "arena.model",
            "arena.app",
            "arena.story",
            "arena.tournament",
            "arena.executor",
            "arena.match",
            "arena.hosting",
            "ratings.read.tournaments",
            "ratings.store",
            "ratings.values",
            "engine",
        )
    ),
    "arena/api.py": Boundary(("arena.scripting", "arena.model", "arena.tournament.match_specs")),
    "arena/cli": Boundary(
        (
            "arena.cli",
            "arena.i18n",
            "arena.model",
            "arena.app",
            "arena.rpc",
            "arena.connect",
            "arena.story",
            "arena.trial",
            "arena.match",
            "arena.wire.completion_queue_check",
            "arena.hosting",
            "arena.tournament",
            "arena.executor",
            "ratings",
            "engine",
        ),
        ("typer", "rich"),
    ),
    "arena/cli/verbs/replay/dataset.py": Boundary(
        ("arena.cli", "arena.adapters", "arena.model", "arena.match", "ratings.errors", "ratings.values"),
        ("typer",),
    ),
    "arena/cli/verbs/replay/show.py": Boundary(
        ("arena.cli", "arena.match", "arena.model", "arena.story", "arena.web.report", "engine"), ("typer",)
    ),
    "arena/cli/verbs/doctor": Boundary(
        (
            "arena.cli",
            "arena.model",
            "arena.app",
            "arena.executor",
            "arena.hosting",
            "arena.match",
            "arena.profiling",
            "arena.tournament",
            "engine",
        ),
        ("typer",),
    ),
    "arena/cli/nouns/report.py": Boundary(("arena.cli", "arena.web.report"), ("typer",)),
    "arena/cli/verbs/bot/conform.py": Boundary(("arena.cli", "arena.conform", "arena.hosting"), ("typer",)),
    "arena/cli/nouns/home.py": Boundary(("arena.cli", "arena.service"), ("typer",)),
    "arena/cli/shared/storage.py": Boundary(
        (
            "arena.cli",
            "arena.app",
            "arena.hosting",
            "arena.service.settings",
            "engine",
            "ratings.store",
            "ratings.values",
        )
    ),
    "arena/cli/nouns/web.py": Boundary(("arena.cli", "arena.web", "arena.service.addresses"), ("typer",)),
    "arena/cli/nouns/serve.py": Boundary(
        ("arena.cli", "arena.service", "arena.rpc.quiet", "arena.model.table_columns"), ("typer",)
    ),
    "examples/remote_client.py": Boundary(WIRE, ("grpc",)),
    "examples/game_connect_four": Boundary(("engine", "game_connect_four")),
    "examples/game_connect_four/game_connect_four/*_pb2.py": Boundary((), ("google",)),
    "examples/game_connect_four/game_connect_four/wire.py": Boundary(("engine", "game_connect_four"), ("google",)),
}


WITH_STARS = [pattern for pattern in BOUNDARIES if "*" in pattern]


def sources() -> list[Path]:
    return sources_below(*OURS, "examples")


def boundary_of(path: Path) -> Boundary:
    """The boundary with the longest pattern that covers the file."""
    fitting = [str(place) for place in (path, *path.parents) if str(place) in BOUNDARIES]
    fitting += [pattern for pattern in WITH_STARS if path.match(pattern)]
    return BOUNDARIES[max(fitting, key=len)] if fitting else Boundary()


def imported_modules(path: Path) -> list[str]:
    # `from arena.v1 import play_pb2` imports arena.v1.play_pb2, `from engine import registry` engine.registry.
    return sorted({one.target for one in facts_of(path).imports})


def is_within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def is_allowed(module: str, boundary: Boundary) -> bool:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    return is_within(module, (*boundary.ours, *LEAF) if top in OURS | EXAMPLES else boundary.others)


def refused_imports(path: Path) -> list[str]:
    boundary = boundary_of(path)
    return [module for module in imported_modules(path) if not is_allowed(module, boundary)]


def test_a_file_imports_only_what_its_place_allows() -> None:
    assert len(sources()) > 700
    refused = {path: modules for path in sources() if (modules := refused_imports(path))}
    report(f"{path} may import {boundary_of(path)}, not {modules}" for path, modules in refused.items())


def test_imports_are_absolute() -> None:
    report(f"{path}: {one.bound}" for path in sources() for one in facts_of(path).imports if one.level)


def test_the_arena_leaves_the_database_to_ratings() -> None:
    database = ("sqlite3", "sqlalchemy", "sqlmodel", "alembic")
    imported = [(path, module) for path in sources_below("arena") for module in imported_modules(path)]
    report(f"{path}: {module}" for path, module in imported if is_within(module, database))


def test_the_boundaries_would_see_a_forbidden_import() -> None:
    assert not is_allowed("bots.kit", BOUNDARIES["arena/cli"])
    assert not is_allowed("ratings.ledger.entry", BOUNDARIES["arena/match"])
    assert not is_allowed("grpc", BOUNDARIES["engine"])
    assert not is_allowed("arena.v1.play_pb2", BOUNDARIES["engine"])
    assert is_allowed("arena.v1.play_pb2", boundary_of(Path("engine/games/foreign_king/wire.py")))
