"""Keeps docs/security.md true: tests hold every outcome of an attack or a fault, and none promises too much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support.marked_names import all_names
from tests.support.reporting import report
from tests.support.sources import text_of

REFUSED, FAULT, THE_SAME = r"refused", r"`RESOURCE`", r"the same"
NOT_HELD, POSSIBLE = r"\*\*not held\*\*", r"\*\*possible\*\*"
OWN_IDS = rf"bots have \[user ids of their own\]\(#user-ids-of-their-own\), otherwise {POSSIBLE}$"
# By words of an entry: what must stand at `standard` and at `strict`, and the names of what is tried in tests.
# `<...>` stands for one of the `figures` of the program.
ATTACKS = {
    "The first thread ends": (
        *(f"^{FAULT}$", f"^{FAULT}$"),
        *("hold-memory-behind-a-dead-thread", "hold-files-behind-a-dead-thread"),
    ),
    "Shared memory that is filled and then unmapped": (f"^{FAULT}$", f"^{FAULT}$", "share-memory-and-let-it-go"),
    "mappings and page tables": (f"^{FAULT}, counted once a second", f"^{FAULT}$", "fill-the-kernel-with-mappings"),
    "links between mappings": (f"^{FAULT}, counted once a second", f"^{FAULT}$", "fork-a-chain-of-mappings"),
    "buffers of sockets and pipes": (
        *(f"^{FAULT} from <free buffers> sockets and pipes on; .* are not detected", f"^{FAULT}$"),
        *("fill-the-kernel-with-messages", "larger-buffers-of-sockets"),
        *("fill-the-kernel-behind-a-listener", "fill-the-kernel-with-datagrams"),
    ),
    "epoll's records of watched files": (
        *(f"^{FAULT} from <watches> records on$", f"^{FAULT}$", "fill-the-kernel-with-watches"),
    ),
    "never received": (f"^{FAULT}$", f"^{FAULT}$", "hide-files-on-their-way"),
    "locks, access lists, Landlock rules": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine", "lock-files"),
    "unknown or too costly to count": (
        *(f"^{NOT_HELD}; the bot is limited only in descriptors \\(<descriptors>\\)", f"^{FAULT}$"),
        "open-many-files-in-many-processes",
    ),
    "A storm of short-lived processes": (
        f"^{FAULT} when a check of the watchdog finds it$",
        f"^{FAULT}$",
        "fork-storm",
    ),
    "`io_setup`, io_uring": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine", "watch-directories"),
    "Using up timers": ("^not shared$", "^not shared$", "use-up-timers"),
    "Using up descriptors": (f"^not shared if {OWN_IDS}", f"^{THE_SAME}$", "send-files-and-receive-none"),
    "Leases on the arena's files": (f"^{REFUSED}$", f"^{REFUSED}$", "lock-a-file-of-the-system", "lease-files"),
    "Hiding from the watchdog": (
        *(f"^{REFUSED}$", f"^{REFUSED}$"),
        *("hide-and-weigh", "hide-from-the-watchdog", "thread-with-descriptors-of-its-own"),
    ),
    "Flushing the machine's disks": (f"^{REFUSED}$", f"^{REFUSED}$", "take-from-the-machine"),
    "Processes or files that remain": ("namespace ends with it", "^killed and removed$", "leave-daemons"),
    "computes when it is not its turn": (
        *("^stopped after some <free ms> ms", "^frozen$"),
        *("spin-while-waiting", "spin-in-sessions", "compute-in-short-gaps", "compute-after-its-answer"),
    ),
    "wakes itself by a timer": (f"^{FAULT}$", "^impossible$", "wake-by-timer", "compute-while-asleep"),
    "stops or kills the process": (f"^{FAULT} after", "^impossible$", "stop-and-kill-all-it-sees", "prevent-its-sleep"),
    "computes while other bots start": ("^stopped; ", f"^{THE_SAME}$", "join-and-spin", "starve-others-at-their-start"),
    "lowers its own scheduling weight": (f"^{FAULT}$", f"^{FAULT}$", "lower-its-own-weight"),
    "Child processes that the bot never waits for": (
        *("^detected while they run$", "^charged$"),
        *("children-nobody-waits-for", "compute-in-children"),
    ),
    "Many sessions": (f"^{REFUSED}$", "sessions have no effect", "lead-sessions", "hide-and-weigh", "claim-a-core"),
    "calls with wrong tokens": (
        *("^`FLOOD`; refused once the bot has joined$", f"^{THE_SAME}$"),
        *("wrong-tokens", "wrong-tokens-before-joining", "open-and-close", "open-and-close-before-joining"),
    ),
    "CONTINUATION frames without end": (
        *("^`FLOOD`, or `DISCONNECTED` if gRPC ends the connection first$", f"^{THE_SAME}$"),
        *("own-endless-header", "own-bomb-of-headers", "own-much-metadata", "own-settings", "endless-header"),
    ),
    "Half a message and silence": (
        *("^`MALFORMED`, `PROTOCOL`, `FLOOD` or `TIMEOUT`$", f"^{THE_SAME}$", "half-a-frame", "wrong-length"),
        *("byte-by-byte", "endless-line", "endless-blanks", "odd-lines"),
    ),
    "PING flood": ("^`DISCONNECTED`$", f"^{THE_SAME}$", "own-pings"),
    "processor time of the worker": (
        *("^`FLOOD`$", f"^{THE_SAME}$", "bomb-of-headers", "fill-when-warm"),
        *("crash-through-a-hole", "fill-through-a-hole", "burn-through-a-hole", "crash-by-a-message"),
    ),
    "derives the tournament's seed": ("^impossible$", "^impossible$", "find-the-seed-of-the-tournament"),
    "Two bots of one owner": ("^not planned$", "^not planned$", "two-bots-of-one-owner"),
    "communicate by locks, leases or inotify": (f"^{REFUSED}$", f"^{REFUSED}$", "lock-a-file-of-the-system"),
    "by counters in `/proc`": ("^not shown$", "^not shown$", "talk-by-counters"),
    "by access times, sockets": ("^nothing to reach$", "^nothing to reach$", "connect", "other-sockets"),
    "by how many descriptors": (f"^nothing to reach if {OWN_IDS}", f"^{THE_SAME}$", "send-files-and-receive-none"),
    "by the numbers that the kernel gives": (rf"^{POSSIBLE}, some", rf"^{POSSIBLE}, some"),
    "by load, numbers of tasks, forks and context switches": (r"^\*\*possible\*\*$", r"^\*\*possible\*\*$"),
    "reads other bots": ("^not shown$", "^not shown$", "read-bots-beside-the-samples"),
    "another bot's stream": ("^not shown$", "^not shown$", "read-another-bots-descriptors"),
}
HANDED_IN = {
    "A file becomes a link": (
        *(REFUSED, "file-becomes-a-link", "file-becomes-a-pipe", "file-grows-without-end"),
        *("directory-becomes-a-link", "file-changes-while-it-is-packed", "build-that-makes-a-sparse-giant"),
    ),
    "Directories 1,000 levels deep": (
        *(REFUSED, "directories-1000-deep", "countless-directories", "devices", "manifest-is-a-link"),
        *("second-names-of-others-files",),
    ),
    "Changed ranks, names, clocks or seeds": (
        *("import refused", "forge-ranks", "forge-versions", "forge-clocks", "forge-seeds", "forge-any-record"),
    ),
    "Notes of 1,000 random characters": ("left out above <notes> MB for each owner", "notes-without-end"),
    "Names and messages that a spreadsheet would compute": ("texts", "formula-in-a-spreadsheet"),
    "Control, bidirectional or invisible characters": (
        *("escaped", "steer-the-terminal", "steer-the-terminal-in-json", "steer-the-terminal-by-a-log"),
    ),
}
FAULTS = {
    "hangs (SIGSTOP": (
        *("replaced after <silence> s, a launcher after <launcher silence> s",),
        *("worker-stopped", "launcher-stopped", "bot-proxy-stopped"),
    ),
    "does not end even when": ("gives it up", "worker-that-cannot-be-killed", "output-held-by-another"),
    "No more processes, memory or descriptors": (
        *("wait longer after each failure", "no-process-for-a-while", "no-process-for-long", "descriptors-used-up"),
        *("no-thread-for-a-worker", "no-thread-for-a-bot-proxy"),
    ),
    "no memory left": ("played again. A bot that used more than its limit is charged", "host-out-of-memory"),
    "Limits of the host": (
        "before it plays anything",
        "ulimit-of-processor-time",
        "ulimit-of-file-size",
        "ulimit-of-the-stack",
        "no-threads-for-a-bot",
        "few-descriptors",
        "little-room",
    ),
    "processor time of a bot cannot be read": ("played again. No bot is charged", "no-descriptor-for-a-meter"),
    "Ctrl-C, a closed terminal": (
        "in an orderly way",
        "ctrl-c",
        "ctrl-c-before-the-first-match",
        "terminal-closed",
        "progress-that-nobody-reads",
    ),
    "The clock jumps": ("No match is lost", "clock-jumps-forward", "clock-jumps-back"),
    "The database is removed": ("ends with an error", "database-taken-away", "database-replaced"),
    "deletes the lock of a tournament": ("Every match counts once", "lock-removed"),
    "Another program locks": ("waits, prints that it waits", "database-locked-for-a-while", "database-locked-for-long"),
    "A full disk": (
        *("You can still read", "disk-full-in-a-tournament", "disk-full-while-looking", "database-full"),
        "disk-full-under-a-service",
    ),
    "A read-only file": ("You can still read", "database-read-only"),
    "`kill -9` of any process": (
        "No result is lost",
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
    """What stands for each `<figure>` of the page; the worker's modules are imported when a test asks for it."""
    from arena.executor.child_handle import SILENCE_S
    from arena.hosting.framed_pipe import SILENCE_S as LAUNCHER_SILENCE_S
    from arena.hosting.procfs.usage import FREE_BUFFERS, MOST_WATCHES
    from arena.hosting.sandbox.limits import SandboxLimits
    from arena.worker.freezer import FREE_US
    from ratings.values.owners import OWNER_LIMITS

    return {
        "notes": OWNER_LIMITS.notes_mb,
        "free buffers": FREE_BUFFERS,
        "watches": f"{MOST_WATCHES:,}",
        "descriptors": SandboxLimits().descriptors,
        "free ms": FREE_US // 1000,
        "silence": f"{SILENCE_S:g}",
        "launcher silence": f"{LAUNCHER_SILENCE_S:g}",
    }


def filled(text: str) -> str:
    """The text with the figures of the program."""
    return re.sub("<([a-z ]+)>", lambda match: str(figures()[match[1]]), text)


def entries(*headings: str) -> dict[str, dict[str, str]]:
    """The entries of the lists below these headings: what each names in bold, and its parts by their labels."""
    return {name: parts for heading in headings for name, parts in entries_below(heading)}


def entries_below(heading: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each entry `- **name** text`; lines `- label: text` below it are parts of their own, the text has no label."""
    section = re.split("^#+ ", page().partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    for entry in re.split(r"^- \*\*", section, flags=re.MULTILINE)[1:]:
        name, _, rest = " ".join(entry.split()).partition("**")
        text, *parts = rest.split(" - ")
        yield name, {"": text} | {label: told for label, _, told in (part.partition(": ") for part in parts)}


def attacks() -> dict[str, dict[str, str]]:
    return entries("Memory and processes", "Time", "Secrets and collusion")


def handed_in() -> dict[str, dict[str, str]]:
    return entries("Attacks through uploads, imports and output")


def faults() -> dict[str, dict[str, str]]:
    return entries("Faults of the host")


def entry(words: str, among: dict[str, dict[str, str]]) -> dict[str, str]:
    found = [parts for name, parts in among.items() if words in name]
    assert len(found) == 1, f"{words!r} is in {len(found)} entries"
    return found[0]


def at_level(level: str, parts: dict[str, str]) -> str:
    """What an entry says of a level: for itself, or of both at once."""
    (told,) = [parts[label] for label in (f"`{level}`", "Both levels") if label in parts]
    return told


def test_what_becomes_of_an_attack_at_each_level_is_what_the_page_says() -> None:
    wrong = []
    for words, (standard, strict, *_) in ATTACKS.items():
        parts = entry(words, attacks())
        at_standard, at_strict = at_level("standard", parts), at_level("strict", parts)
        if not (re.search(filled(standard), at_standard) and re.search(filled(strict), at_strict)):
            wrong.append(f"{words}: {at_standard} | {at_strict}")
    report(wrong)


def test_what_becomes_of_a_file_or_a_fault_is_what_the_page_says() -> None:
    found = {words: entry(words, handed_in())["Outcome"] for words in HANDED_IN}
    found |= {words: entry(words, faults())[""] for words in FAULTS}
    expected = {words: filled(one[0]) for words, one in (HANDED_IN | FAULTS).items()}
    report({words: text for words, text in found.items() if expected[words] not in text})


def test_every_entry_is_held_by_tests_that_name_it() -> None:
    assert len(attacks()) == len(ATTACKS)
    assert len(handed_in()) == len(HANDED_IN)
    assert len(faults()) == len(FAULTS)
    hostile, host_faults = all_names("hostile"), all_names("host_fault")
    attempts = {name for one in ATTACKS.values() for name in one[2:]} | {
        name for one in HANDED_IN.values() for name in one[1:]
    }
    report(sorted(attempts - hostile))
    report(sorted({name for one in FAULTS.values() for name in one[1:]} - host_faults))


def test_what_the_zoo_sees_at_standard_is_what_the_page_says() -> None:
    """The entries of the attacks that tests/e2e/test_zoo.py tries at `standard`."""
    from tests.support.keeper import GREEDY, REFUSED_DEEDS

    for behaviour, _, _ in GREEDY:
        assert all(one[0].startswith(f"^{FAULT}") for one in ATTACKS.values() if behaviour in one[2:]), behaviour
    for deed in REFUSED_DEEDS:
        outcomes = [one[0] for one in ATTACKS.values() if deed in one[2:]]
        assert outcomes
        assert all(one == f"^{REFUSED}$" for one in outcomes), deed


def test_the_figures_on_the_page_are_those_of_the_program() -> None:
    from arena.hosting.launcher.own_ids import FEWEST_IDS, USED_IDS
    from arena.hosting.launcher.spawn import UIDS
    from arena.hosting.procfs.usage import DATAGRAM_BUFFERS, MOST_SHARED_BYTES
    from arena.hosting.sandbox.bubblewrap import PER_USER
    from arena.referee.server import CALLS_A_SECOND, MOST_CALLS
    from arena.worker.bot_listener import MOST_CONNECTIONS, MOST_CONNECTIONS_SEEN
    from arena.worker.freezer import FREE_SHARE, FREE_US

    assert f"pieces of {MOST_SHARED_BYTES >> 20} MiB at most" in page()
    assert f"socket for datagrams counts as {DATAGRAM_BUFFERS}" in page()
    assert f"its own limit of {PER_USER['sigpending']:,}" in page()
    assert f"ids from {UIDS.start:,} upwards" in page()
    assert f"the last {USED_IDS:,} of that user's" in page()
    assert f"at least {FEWEST_IDS} ids" in page()
    assert f"may use {FREE_US // 1000} ms and {FREE_SHARE:.0%} of a core outside its turn".replace("%", " %") in page()
    calls = f"{MOST_CONNECTIONS} connections at once, {MOST_CONNECTIONS_SEEN} in all, {MOST_CALLS} calls"
    assert calls in page()
    assert CALLS_A_SECOND == 1


def test_the_limits_of_a_worker_are_those_of_the_program() -> None:
    from arena.executor.local import OWN_MB
    from arena.executor.worker_handle import WARM_BOTS_APART
    from arena.worker.own_limits import FREE_SHARE, OwnLimits

    assert f"may hold {OwnLimits().memory_mb} MB itself" in page()
    assert (256, OwnLimits().memory_mb) == OWN_MB
    assert f"compute for {OwnLimits().cpu_s:g} s that no message explains" in page()
    assert f"{FREE_SHARE:.0%} of a core".replace("%", " %") in page()
    assert f"keeps {WARM_BOTS_APART} bots warm at most" in page()


def test_what_the_level_standard_cannot_hold_is_told_again_where_it_says_what_stays_possible() -> None:
    left = page().partition("## What stays possible")[2].partition("\n## ")[0]
    (standard,) = [point for point in left.split("\n- ") if point.startswith("**At `standard`**")]
    for words in ("between two checks", "hidden memory", "buffers in sockets", "unknown kinds of kernel memory"):
        assert words in standard
    for words in ("Holes in the kernel", "Timing channels", "its free memory", "Two people who cooperate"):
        assert words in left
