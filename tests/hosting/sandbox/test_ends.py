"""How a process ends at each level, and that nothing of it is left; what is kept of its words."""

import asyncio
import os
import signal
import sys

import pytest

from arena.hosting.launcher.messages import OutputMark
from arena.hosting.procfs.processes import list_descendants, read_relations
from tests.hosting.sandbox.tried import BEHIND_A_DEAD_THREAD, NAP, excess, up
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import Place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux")


async def test_status_and_signal_are_those_of_the_bot(place: Place, level: str) -> None:
    for program, expected in (("raise SystemExit(7)", (7, 0)), ("import os; os.abort()", (0, signal.SIGABRT))):
        process = await place.start(level, program)
        assert await process.wait(PATIENCE_S)
        assert (process.exited.result().status, process.exited.result().signal) == expected
        assert process.has_begun
        assert process.exceeded is None


async def test_a_bot_is_asked_before_it_is_killed(place: Place, level: str) -> None:
    program = f"import os, signal; signal.signal(15, lambda *_: os._exit(5)); print(1); {NAP}"
    process = await place.start(level, program)
    await up(process)
    process.signal(signal.SIGTERM)
    assert await process.wait(PATIENCE_S)
    assert process.exited.result().status == 5


@pytest.mark.hostile("leave-daemons")
async def test_nothing_of_a_family_is_left(place: Place, level: str) -> None:
    program = (
        "import contextlib, os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        with contextlib.suppress(PermissionError): os.setsid()\n"
        "        if os.fork() == 0: time.sleep(3600)\n"
        "        os._exit(0)\n"
        f"print(1); {NAP}"
    )
    process = await place.start(level, program)
    await up(process)
    family = list_descendants(process.pid)
    process.signal(signal.SIGKILL)
    assert await process.wait(PATIENCE_S)
    left = [pid for pid in family if (relations := read_relations(pid)) and not relations.is_zombie]
    assert left == []


@pytest.mark.hostile("leave-a-daemon-behind-a-dead-thread")
async def test_a_daemon_whose_first_thread_has_ended_is_gone_with_it(place: Place) -> None:
    program = BEHIND_A_DEAD_THREAD + (
        "if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork() == 0: go_on(lambda: (print(1), time.sleep(3600)))\n"
        "  os._exit(0)\n"
        f"{NAP}"
    )
    process = await place.start("none", program)
    await up(process)
    family = list_descendants(process.pid)
    await process.end()
    left = [pid for pid in family if (relations := read_relations(pid)) and not relations.is_zombie]
    assert left == []


@pytest.mark.hostile("leave-files-nobody-may-remove")
async def test_its_files_are_gone_with_it(place: Place, level: str) -> None:
    await place.run(level, "import os; os.makedirs('a/b'); os.chmod('a', 0)")
    assert not (place.directory / "scratch" / "1").exists()


@pytest.mark.hostile("directories-deeper-than-any-path")
@pytest.mark.needs("minutes")
async def test_directories_deeper_than_any_path_harm_nobody_and_are_gone_with_it(place: Place, level: str) -> None:
    program = f"import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nprint(1); {NAP}"
    process = await place.start(level, program)
    if level == "standard":  # there they are its own affair
        await up(process)
        await process.end()
    else:
        assert (await excess(process))[0] == "disk"
    assert not (place.directory / "scratch" / "1").exists()


@pytest.mark.host_fault("launcher-killed")
async def test_a_killed_launcher_takes_its_sandboxes_with_it(place: Place, standard: str) -> None:
    process = await place.start(standard, f"print(1); {NAP}")
    await up(process)
    family = list_descendants(process.pid)
    launcher = read_relations(process.pid)
    assert launcher is not None
    os.kill(launcher.parent, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while any((relations := read_relations(pid)) and not relations.is_zombie for pid in family):
            await asyncio.sleep(0.01)


async def test_the_log_of_a_match_is_what_lies_between_its_marks(place: Place) -> None:
    program = (
        "import sys, signal\n"
        "for line in ('before', 'within', 'after'):\n"
        "  print(line); print(line, file=sys.stderr, flush=True)\n"
        "  signal.sigwait({signal.SIGUSR1})\n"
    )
    program = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n" + program
    process = await place.start("none", program)
    await up(process)
    start = await process.mark()
    process.signal(signal.SIGUSR1)
    async with asyncio.timeout(PATIENCE_S):
        while (output := await process.collect(start)).stderr != "within\n" or not output.stdout:
            await asyncio.sleep(0.01)
    assert (output.stdout, output.stderr, output.dropped) == ("within\n", "within\n", 0)
    await process.end()
    assert (await process.collect()).stdout == "before\nwithin\n"
    assert start == OutputMark(len("before\n"), len("before\n"))
