"""What is done about processes that use too much, at each level."""

import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import BEHIND_A_DEAD_THREAD, NAP, TRY, Place, excess
from tests.support.sandboxes import place as open_place

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place() -> AsyncIterator[Place]:
    """One for all: none of these programs does anything to the launcher."""
    async with open_place() as place:
        yield place


@pytest.mark.hostile("bomb-with-memory")
async def test_too_much_memory_ends_it(place: Place, level: str) -> None:
    process = await place.start(level, f"x = b'x' * (300 << 20); {NAP}", memory_mb=100)
    what, sentence = await excess(process)
    assert what == "memory"
    assert sentence.endswith("MiB of memory; 100 MiB are allowed.")


@pytest.mark.hostile("memory-in-many-processes")
@pytest.mark.needs("minutes")
async def test_the_memory_of_a_whole_family_counts(place: Place, level: str) -> None:
    program = f"import os; [os.fork() for _ in range(3)]; x = b'x' * (40 << 20); {NAP}"
    assert (await excess(await place.start(level, program, memory_mb=200)))[0] == "memory"


@pytest.mark.hostile("hold-memory-behind-a-dead-thread")
@pytest.mark.needs("minutes")
async def test_memory_counts_after_the_end_of_the_first_thread(place: Place, level: str) -> None:
    program = BEHIND_A_DEAD_THREAD + "def hold():\n  x = b'x' * (300 << 20); time.sleep(3600)\ngo_on(hold)"
    assert (await excess(await place.start(level, program, memory_mb=100)))[0] == "memory"


@pytest.mark.needs("minutes")
async def test_shared_memory_counts_once(place: Place, level: str) -> None:
    program = "import os, time; x = b'x' * (60 << 20); [os.fork() for _ in range(3)]; time.sleep(1); print(1)"
    process = await place.start(level, program, memory_mb=200)
    assert await process.wait(PATIENCE_S)
    assert process.exceeded is None


@pytest.mark.hostile("bomb-with-forks")
async def test_too_many_processes_end_it(place: Place, level: str) -> None:
    program = f"import os\nfor _ in range(40):\n  if os.fork() == 0: break\n{NAP}"
    what, sentence = await excess(await place.start(level, program, processes=20))
    assert what == "processes"
    assert sentence.endswith("processes and threads; 20 are allowed.")


@pytest.mark.hostile("bomb-with-threads")
async def test_threads_count_as_processes(place: Place, level: str) -> None:
    program = "import threading, time\nfor _ in range(40): threading.Thread(target=time.sleep, args=(3600,)).start()"
    assert (await excess(await place.start(level, program, processes=20)))[0] == "processes"


@pytest.mark.hostile("fork-storm")
async def test_a_fork_bomb_is_ended(place: Place, standard: str) -> None:
    program = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    assert (await excess(await place.start(standard, program)))[0] == "processes"


@pytest.mark.hostile("fill-the-disk")
async def test_a_full_disk_ends_it(place: Place, level: str) -> None:
    program = (
        "import time\nfor number in range(20):\n"
        "  try: open(str(number), 'wb').write(b'x' * (1 << 20))\n  except OSError: pass\n" + NAP
    )
    what, sentence = await excess(await place.start(level, program, disk_mb=8))
    assert what == "disk"
    assert sentence.endswith("MiB into its private directories; 8 MiB are allowed.")


@pytest.mark.hostile("countless-files")
@pytest.mark.needs("minutes")
async def test_too_many_files_end_it(place: Place, level: str) -> None:
    program = f"for number in range(2000): open(str(number), 'w').close()\n{NAP}"
    what, sentence = await excess(await place.start(level, program, files=1000))
    assert what == "disk"
    assert sentence.endswith("files in its private directories; 1000 are allowed.")


@pytest.mark.hostile("flood-output")
async def test_a_flood_of_output_ends_it(place: Place, level: str) -> None:
    what, sentence = await excess(await place.start(level, "while True: print('x' * 100_000)", output_mb=2))
    assert what == "output"
    assert "to stdout and stderr, too much at once; 2 MiB are allowed." in sentence


@pytest.mark.hostile("compute-without-end")
async def test_processor_time_is_limited(place: Place, sandbox: str) -> None:
    assert (await excess(await place.start(sandbox, "while True: pass", cpu_s=1)))[0] == "cpu"


@pytest.mark.hostile("open-many-files")
async def test_open_files_are_limited(place: Place, sandbox: str) -> None:
    program = TRY + "files = []\nprint(attempt(lambda: [files.append(open('/dev/null')) for _ in range(100_000)]))"
    assert await place.run(sandbox, program) == "EMFILE\n"


@pytest.mark.hostile("open-many-files-in-many-processes")
async def test_the_open_files_and_connections_of_a_whole_family_are_limited(place: Place, sandbox: str) -> None:
    program = (
        "import os, socket\nfor _ in range(3):\n  if os.fork() == 0: break\n"
        f"files = [socket.socket(socket.AF_UNIX) for _ in range(200)]\n{NAP}"
    )
    what, sentence = await excess(await place.start(sandbox, program))
    assert what == "descriptors"
    assert sentence.endswith("files and connections open; 512 are allowed.")


@pytest.mark.hostile("hold-files-behind-a-dead-thread")
async def test_open_files_count_after_the_end_of_the_first_thread(place: Place, sandbox: str) -> None:
    program = BEHIND_A_DEAD_THREAD + (
        "def hold():\n  files = [os.open('/dev/null', 0) for _ in range(200)]; time.sleep(3600)\n"
        "for _ in range(3):\n  if os.fork() == 0: break\n"
        "go_on(hold)"
    )
    assert (await excess(await place.start(sandbox, program)))[0] == "descriptors"


@pytest.mark.hostile("program-that-nobody-may-read")
async def test_a_program_that_nobody_may_read_hides_neither_files_nor_messages(place: Place, sandbox: str) -> None:
    program = (
        "import os, shutil, sys\n"
        "shutil.copy(os.path.realpath(sys.executable), 'unread'); os.chmod('unread', 0o111)\n"
        "hold = 'import socket, sys, time; ends = [socket.socketpair() for _ in range(int(sys.argv[1]))]; '\n"
        "os.environ['PYTHONHOME'] = sys.base_prefix\n"
        "for _ in range(int(sys.argv[2])):\n  if os.fork() == 0: break\n"
        "os.execl('unread', 'python', '-S', '-c', hold + 'time.sleep(3600)', sys.argv[1])"
    )
    assert (await excess(await place.start(sandbox, program, "100", "2")))[0] == "descriptors"
    assert (await excess(await place.start(sandbox, program, "120", "0", memory_mb=32)))[0] == "memory"


async def test_an_ordinary_bot_is_left_alone(place: Place, level: str) -> None:
    program = "import time; x = b'x' * (50 << 20); open('f', 'wb').write(b'x' * 100); time.sleep(1); print(1)"
    process = await place.start(level, program)
    assert await process.wait(PATIENCE_S)
    assert process.exceeded is None
    assert (await process.collect()).stdout == "1\n"
