"""Which files of the arena itself a sandbox shows."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.bubblewrap import SandboxMounts, wrapper
from arena.hosting.sandbox.limits import STANDARD, SandboxLimits
from arena.hosting.visible_paths import KIT_FILES, kit_places, parts_of
from tests.support.sources import ROOT


def test_every_module_of_the_kit_is_shown() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout tells the arena's own files from those of others")
    listed = subprocess.run(["git", "ls-files", "bots"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [Path(line).relative_to("bots") for line in listed.splitlines()]
    packages = {file.parent for file in files if file.name == "__init__.py"} - {Path("training")}  # no bot imports it
    assert sorted(KIT_FILES) == sorted(str(file) for file in files if file.parent in packages)


def test_of_an_environment_in_the_checkout_itself_only_its_own_folders_are_shown() -> None:
    here = Path("/home/me/arena")
    assert parts_of(here, [here]) == parts_of(here, [here / "src"])
    assert here not in parts_of(here, [here])
    assert here / "lib" in parts_of(here, [here])
    assert parts_of(here / ".venv", [here]) == {here / ".venv"}
    assert parts_of(here, [here / "lib" / "python3.11" / "site-packages"]) == {here}


def test_what_is_installed_beside_the_kit_in_a_shown_environment_is_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find_tool", str)
    (kit,) = kit_places()
    words = wrapper(SandboxLimits(STANDARD), SandboxMounts(tmp_path, [kit.parent]), own_uid=False)
    assert ("--tmpfs", str(kit)) in pairwise(words)
