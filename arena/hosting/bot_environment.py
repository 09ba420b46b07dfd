"""The environment in which the process of a bot is started, wherever it runs."""

from __future__ import annotations

import os
from pathlib import Path

INHERITED = ("PATH", "HOME", "LANG", "PYTHONPATH", "ARENA_GRPC")
# Nothing is written to the files of a version, and output before a crash must not be lost.
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}


def bot_environment(directory: str, scratch: Path, address: str, token: str, game: str | None = None) -> dict[str, str]:
    """Return the environment of a bot whose files lie in `directory` and which works in `scratch`.

    It connects to `address`, and `token` is a secret for its process alone. `game` is that of its first match, if it is
    known: the kit loads it before the clock runs.
    """
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    # Its working directory is another one, so `python -m` would not find its modules.
    path = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = f"{directory}{os.pathsep}{path}" if path else directory
    return {
        **environment,
        **SETTINGS,
        "TMPDIR": str(scratch),
        "ARENA_ADDRESS": address,
        "ARENA_TOKEN": token,
        "ARENA_BOT_DIR": directory,
        **({} if game is None else {"ARENA_GAME": game}),
    }
