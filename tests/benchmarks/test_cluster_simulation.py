"""The simulated cluster of the benchmarks: its clock skips what is waited for, and every match is played."""

import asyncio
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HOUR_S = 3600.0


def test_what_is_waited_for_is_skipped_and_what_is_due_first_comes_first(pytestconfig: pytest.Config) -> None:
    made = runpy.run_path(str(pytestconfig.rootpath / "benchmarks" / "virtual_time.py"))
    clock, woken = made["VirtualClock"](), list[int]()

    async def sleep(hours: int) -> None:
        await asyncio.sleep(hours * HOUR_S)
        woken.append(hours)

    async def sleep_all() -> None:
        await asyncio.gather(sleep(3), sleep(1), sleep(2))

    with asyncio.Runner(loop_factory=lambda: made["VirtualLoop"](clock)) as runner:
        runner.run(sleep_all())
    assert woken == [1, 2, 3]
    assert clock.time() >= 3 * HOUR_S
    clock.close()


@pytest.mark.needs("minutes")
def test_a_simulated_cluster_plays_to_the_end(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.cluster_simulation", "--workers", "3", "--durations", "10s"]
    command += ["--call-ms", "0", "--samples", "1", "--db", str(tmp_path / "arena.db")]
    done = subprocess.run(command, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "one coordinator keeps" in done.stdout
