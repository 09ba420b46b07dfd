"""What docs/security.md says an attack or a fault comes to: every row is held by a test, and none promises too much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support.marked_names import all_names
from tests.support.reporting import report
from tests.support.sources import text_of

REFUSED, FAULT, THE_SAME = r"refused", r"`RESOURCE`", r"the same"
NOT_HELD = r"\*\*not held\*\*"
# By words of a row: what must stand at `standard` and at `strict`, and the names of what is tried in tests.
# `<...>` stands for one of the `figures` of the program.
ATTACKS = {
    "its first thread ends": (
        *(f"^{FAULT}$", f"^{FAULT}$"),
        *("hold-memory-behind-a-dead-thread", "hold-files-behind-a-dead-thread"),
    ),
    "shared memory, filled and let go": (f"^{FAULT}$", f"^{FAULT}$", "share-memory-and-let-it-go"),
    "mappings, page tables": (f"^{FAULT}, counted once a second", f"^{FAULT}$", "fill-the-kernel-with-mappings"),
    "buffers of sockets and pipes": (
        *(f"^{FAULT} from <free buffers> on; .* are not seen", f"^{FAULT}$"),
        *("fill-the-kernel-with-messages", "larger-buffers-of-sockets"),
    ),
    "locks, access lists, Landlock rules": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine", "lock-files"),
    "memory of the kernel that nobody has thought of": (
        *(f"^{NOT_HELD}: only descriptors \\(<descriptors>\\)", f"^{FAULT}$"),
        *("open-many-files-in-many-processes", "fill-the-kernel-with-watches"),
    ),
    "a storm of processes": (f"^{FAULT} when a look finds it$", f"^{FAULT}$", "fork-storm"),
    "`io_setup`, io_uring": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine", "watch-directories"),
    "leases on files": (f"^{REFUSED}$", f"^{REFUSED}$", "lock-a-file-of-the-system", "lease-files"),
    "hiding from the watchdog": (
        *(f"^{REFUSED}$", f"^{REFUSED}$"),
        *("hide-and-weigh", "hide-from-the-watchdog", "thread-with-descriptors-of-its-own"),
    ),
    "writing the machine's disks": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine"),
    "it leaves something behind": ("namespace ends with it", "^killed and removed$", "leave-daemons"),
    "it computes while it is not asked": (
        *("^asleep after some <free ms> ms", "^frozen$"),
        *("spin-while-waiting", "spin-in-sessions", "compute-in-short-gaps", "compute-after-its-answer"),
    ),
    "it wakes itself by a timer": (f"^{FAULT}$", "^cannot$", "wake-by-timer", "compute-while-asleep"),
    "it stops or kills the process": (f"^{FAULT} after", "^cannot$", "stop-and-kill-all-it-sees", "prevent-its-sleep"),
    "it computes while others start": ("^asleep; ", f"^{THE_SAME}$", "join-and-spin", "starve-others-at-their-start"),
    "it lowers its own weight": (f"^{FAULT}$", f"^{FAULT}$", "lower-its-own-weight"),
    "children that nobody waits for": (
        *("^found while they live$", "^charged$"),
        *("children-nobody-waits-for", "compute-in-children"),
    ),
    "many sessions": (f"^{REFUSED}$", "sessions are of no use", "lead-sessions", "hide-and-weigh", "claim-a-core"),
    "calls with wrong tokens": (
        *("^`FLOOD`; refused once it has joined$", f"^{THE_SAME}$"),
        *("wrong-tokens", "wrong-tokens-before-joining", "open-and-close", "open-and-close-before-joining"),
    ),
    "CONTINUATION without end": (
        *("^`FLOOD`$", f"^{THE_SAME}$"),
        *("own-endless-header", "own-bomb-of-headers", "own-much-metadata", "own-settings", "endless-header"),
    ),
    "PING flood": ("^`DISCONNECTED`$", f"^{THE_SAME}$", "own-pings"),
    "time of the worker": (
        *("^`FLOOD`$", f"^{THE_SAME}$", "bomb-of-headers", "fill-when-warm"),
        *("crash-through-a-hole", "fill-through-a-hole", "burn-through-a-hole", "crash-by-a-message"),
    ),
    "it finds the tournament's seed": ("^impossible$", "^impossible$", "find-the-seed-of-the-tournament"),
    "two bots of one owner": ("^not planned$", "^not planned$", "two-bots-of-one-owner"),
    "talk by locks, leases, inotify": (f"^{REFUSED}$", f"^{REFUSED}$", "lock-a-file-of-the-system"),
    "by counters of /proc": ("^not shown$", "^not shown$", "talk-by-counters"),
    "by access times, sockets": ("^nothing to reach$", "^nothing to reach$", "connect", "other-sockets"),
    "by load, free memory, page cache": (r"^\*\*possible\*\*$", r"^\*\*possible\*\*$"),
    "it reads other bots": ("^not shown$", "^not shown$", "read-bots-beside-the-samples"),
}
HANDED_IN = {
    "a file becomes a link": (
        *(REFUSED, "file-becomes-a-link", "file-becomes-a-pipe", "file-grows-without-end"),
        *("directory-becomes-a-link", "file-changes-while-it-is-packed", "build-that-makes-a-sparse-giant"),
    ),
    "directories 1,000 deep": (
        *(REFUSED, "directories-1000-deep", "countless-directories", "devices", "manifest-is-a-link"),
        *("second-names-of-others-files",),
    ),
    "ranks, names, clocks or seeds changed": (
        *("import refused", "forge-ranks", "forge-versions", "forge-clocks", "forge-seeds", "forge-any-record"),
    ),
    "control characters": (
        *("escaped", "steer-the-terminal", "steer-the-terminal-in-json", "steer-the-terminal-by-a-log"),
    ),
}
FAULTS = {
    "stand still": (
        *("replaced after <silence> s, the launcher after <launcher silence> s",),
        *("worker-stopped", "launcher-stopped", "bot-proxy-stopped"),
    ),
    "does not even end": ("given up", "worker-that-cannot-be-killed", "output-held-by-another"),
    "no more processes, memory or descriptors": (
        *("longer and longer", "no-process-for-a-while", "no-process-for-long", "descriptors-used-up"),
        *("no-thread-for-a-worker", "no-thread-for-a-bot-proxy"),
    ),
    "limits of the shell": (
        "before anything",
        "ulimit-of-processor-time",
        "ulimit-of-file-size",
        "no-threads-for-a-bot",
    ),
    "Ctrl-C, a terminal": (
        "in order",
        "ctrl-c",
        "ctrl-c-before-the-first-match",
        "terminal-closed",
        "progress-that-nobody-reads",
    ),
    "the clock jumps": ("no match is lost", "clock-jumps-forward", "clock-jumps-back"),
    "the database is removed": ("ends with an error", "database-taken-away", "database-replaced"),
    "another program holds": ("waits, tells so", "database-locked-for-a-while", "database-locked-for-long"),
    "a full disk": (
        *("can be looked at", "disk-full-in-a-tournament", "disk-full-while-looking", "database-full"),
        "disk-full-under-a-service",
    ),
    "a read-only file": ("can be looked at", "database-read-only"),
    "`kill -9` of anything": (
        "nothing is lost",
        "command-killed",
        "worker-killed",
        "launcher-killed",
        "bot-proxy-killed",
        "service-killed",
    ),
}


@cache
def page() -> str:
    return text_of(Path("docs/security.md"))


@cache
def figures() -> Mapping[str, object]:
    """What stands for each `<figure>` of the tables; the worker's modules are imported when a test asks for it."""
    from arena.executor.child import SILENCE_S
    from arena.hosting.pipes import SILENCE_S as LAUNCHER_SILENCE_S
    from arena.hosting.procfs.usage import FREE_BUFFERS
    from arena.hosting.sandbox.limits import SandboxLimits
    from arena.worker.freezer import FREE_US

    return {
        "free buffers": FREE_BUFFERS,
        "descriptors": SandboxLimits().descriptors,
        "free ms": FREE_US // 1000,
        "silence": f"{SILENCE_S:g}",
        "launcher silence": f"{LAUNCHER_SILENCE_S:g}",
    }


def filled(text: str) -> str:
    """The text with the figures of the program."""
    return re.sub("<([a-z ]+)>", lambda match: str(figures()[match[1]]), text)


def rows(*heads: str) -> list[list[str]]:
    """The rows of the tables whose heads begin with these words, without their heads."""
    return [cells for head in heads for cells in rows_below(head)]


def rows_below(head: str) -> Iterator[list[str]]:
    inside = False
    for line in page().splitlines():
        if line.startswith("| "):
            inside = inside or line.startswith(f"| {head}")
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if inside and not line.startswith(f"| {head}"):
                yield cells
        elif not line.startswith("|--"):
            inside = False


def attack_rows() -> list[list[str]]:
    return rows("Attack: memory", "Attack: time", "Attack: secrets")


def row(words: str, among: list[list[str]]) -> list[str]:
    found = [one for one in among if words in one[0]]
    assert len(found) == 1, f"{words!r} is in {len(found)} rows"
    return found[0]


def test_what_becomes_of_an_attack_at_each_level_is_what_the_table_says() -> None:
    wrong = []
    for words, (standard, strict, *_) in ATTACKS.items():
        _, at_standard, at_strict, *_ = row(words, attack_rows())
        if not (re.search(filled(standard), at_standard) and re.search(filled(strict), at_strict)):
            wrong.append(f"{words}: {at_standard} | {at_strict}")
    report(wrong)


def test_what_becomes_of_a_file_or_a_fault_is_what_the_table_says() -> None:
    found = {words: row(words, rows("Attack: what is handed in", "Fault"))[1] for words in (*HANDED_IN, *FAULTS)}
    expected = {words: filled(one[0]) for words, one in (HANDED_IN | FAULTS).items()}
    report({words: text for words, text in found.items() if expected[words] not in text})


def test_every_row_is_held_by_tests_that_name_it() -> None:
    assert len(attack_rows()) == len(ATTACKS)
    assert len(rows("Attack: what is handed in")) == len(HANDED_IN)
    assert len(rows("Fault")) == len(FAULTS)
    hostile, faults = all_names("hostile"), all_names("host_fault")
    attempts = {name for one in ATTACKS.values() for name in one[2:]} | {
        name for one in HANDED_IN.values() for name in one[1:]
    }
    report(sorted(attempts - hostile))
    report(sorted({name for one in FAULTS.values() for name in one[1:]} - faults))


def test_what_the_zoo_sees_at_standard_is_what_the_table_says() -> None:
    """The cells of the attacks that tests/e2e/test_zoo.py tries at `standard`."""
    from tests.support.keeper import GREEDY, REFUSED_DEEDS

    for behaviour, _, _ in GREEDY:
        assert all(one[0].startswith(f"^{FAULT}") for one in ATTACKS.values() if behaviour in one[2:]), behaviour
    for deed in REFUSED_DEEDS:
        cells = [one[0] for one in ATTACKS.values() if deed in one[2:]]
        assert cells
        assert all(one == f"^{REFUSED}$" for one in cells), deed


def test_the_figures_in_the_tables_are_those_of_the_program() -> None:
    from arena.hosting.procfs.usage import MOST_SHARED_BYTES
    from arena.referee.server import CALLS_A_SECOND, MOST_CALLS
    from arena.worker.bot_listener import MOST_CONNECTIONS, MOST_CONNECTIONS_SEEN
    from arena.worker.freezer import FREE_SHARE, FREE_US

    assert f"pieces of {MOST_SHARED_BYTES >> 20} MiB at most" in page()
    assert f"{FREE_US // 1000} ms and {FREE_SHARE:.0%} of a core stay free".replace("%", " %") in page()
    calls = f"{MOST_CONNECTIONS} connections at once, {MOST_CONNECTIONS_SEEN} in all, {MOST_CALLS} calls"
    assert calls in page()
    assert CALLS_A_SECOND == 1


def test_the_limits_of_a_worker_are_those_of_the_program() -> None:
    from arena.executor.local import OWN_MB
    from arena.executor.worker_process import WARM_BOTS_APART
    from arena.worker.own_limits import FREE_SHARE, OwnLimits

    assert f"may hold {OwnLimits().memory_mb} MB itself" in page()
    assert (256, OwnLimits().memory_mb) == OWN_MB
    assert f"for {OwnLimits().cpu_s:g} s beside" in page()
    assert f"{FREE_SHARE:.0%} of a core".replace("%", " %") in page()
    assert f"keeps {WARM_BOTS_APART} bots warm at most" in page()


def test_what_the_level_standard_cannot_hold_is_told_again_where_it_says_what_stays_possible() -> None:
    left = page().partition("## What stays possible")[2].partition("\n## ")[0]
    (standard,) = [point for point in left.split("\n- ") if point.startswith("**At `standard`**")]
    for words in ("between two looks", "hidden memory", "buffers in sockets", "kinds of kernel memory that nobody"):
        assert words in standard
    for words in ("Holes in the kernel", "Timing channels", "its free memory", "Two people who agree"):
        assert words in left
