"""The data files in a game's folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def read_json(module: str, name: str) -> Any:
    """Return the JSON in file `name` of the folder in which a module lies, told by the module's `__name__`.

    The package tells where: a compiled module has no `__file__` of its own.
    """
    package = sys.modules[module.rpartition(".")[0]]
    return json.loads(Path(str(package.__file__)).with_name(name).read_text(encoding="utf-8"))
