"""The data files in a game's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_json(module_file: str, name: str) -> Any:
    """Return the JSON in file `name` of the folder in which a module lies, told by the module's `__file__`."""
    return json.loads(Path(module_file).with_name(name).read_text(encoding="utf-8"))
