"""What the launcher is asked for, by level."""

from pathlib import Path

import pytest

from arena.hosting.sandbox.levels import BotProgram, plan_start
from arena.hosting.sandbox.limits import SandboxLimits


@pytest.mark.parametrize("level", ["standard", "reduced"])
def test_a_bot_gets_address_space_for_its_memory_and_what_runtimes_reserve(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.hosting.sandbox.bubblewrap.find_tool", str)
    program = BotProgram(["/bin/true"], str(tmp_path), {}, None)
    confinement = plan_start(program, SandboxLimits(level, memory_mb=256)).confinement
    assert confinement is not None
    assert confinement.rlimits["RLIMIT_AS"] == (256 + 4096) * 1024 * 1024
    assert confinement.rlimits["RLIMIT_CORE"] == 0


def test_without_a_sandbox_a_bot_is_only_watched(tmp_path: Path) -> None:
    request = plan_start(BotProgram(["/bin/true"], str(tmp_path), {}, None), SandboxLimits("none", memory_mb=256))
    assert request.confinement is None
    assert request.limits is not None
    assert (request.limits.memory_bytes, request.limits.descriptors) == (256 * 1024 * 1024, None)
