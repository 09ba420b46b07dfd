"""Builds a wheel whose engine is compiled if ARENA_COMPILE=1 asks for it; others are pure. A hook of hatch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "ARENA_COMPILE"


class CompiledEngine(BuildHookInterface[Any]):
    """Adds the compiled modules and their stamp to the sources, and names the wheel after the platform."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs besides a compiler, for who builds in an environment of its own."""
        return ["mypy>=2", "setuptools"] if _is_asked_for() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and have the files go into the wheel; an editable one stays as it is."""
        if self.target_name != "wheel" or version != "standard" or not _is_asked_for():
            return
        self._folder = TemporaryDirectory(prefix="compiled-engine-")
        target = Path(self._folder.name)
        done = subprocess.run([sys.executable, "-m", "tools.compiling", str(target)], cwd=self.root, check=False)
        if done.returncode:
            raise SystemExit(f"no wheel was built; without {VARIABLE}=1 a pure one is")
        files = [target / "engine" / "compiled.json", *(target / "engine").rglob("*.so")]
        build_data["force_include"] |= {str(path): str(path.relative_to(target)) for path in files}
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete what the wheel holds now."""
        del version, build_data, artifact_path
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _is_asked_for() -> bool:
    return os.environ.get(VARIABLE, "") == "1"
