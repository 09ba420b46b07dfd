"""What commands cost on a book of 200,000 matches in one tournament, and whether their bounds hold.

    python -m benchmarks.large_book
    python -m benchmarks.large_book --matches 50000 --books DIR    (keeps the database there, and takes it from there)

A round robin of 30 bots is written, half of them deterministic, with replays, faults, and void matches that spoil
their blocks. Tried is every command that reads, the ratings computed anew, and a tournament that goes out and comes
in. Each command is a process of its own: processor time beyond that of a list of an empty database,
measured in turn, and the most memory that it holds.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.ladders import POOL, make
from benchmarks.paging import GOAL_MB, run
from ratings.ledger.rebuild import rebuild
from ratings.store.database import open_database
from ratings.store.sessions import write

LIST_S, COUNT_S, FIT_S, FILE_S, WHOLE_S = 0.5, 2.0, 3.0, 40.0, 120.0
"""The most processor time beyond the start: of a page, of what is counted, what is fitted, a file, and a whole list.

A file that comes in takes as long as a whole list."""
_REPEATS = 2
_MATCHES = 200_000
"""The matches for which these bounds are; more may take more, in proportion."""
_CHANGES = """
UPDATE version SET manifest = json_set(manifest, '$.deterministic', json('true')) WHERE id < 'v15';
UPDATE match SET state = 'void', void_reason = 'the tournament was cancelled' WHERE state = 'planned';
UPDATE match SET details = '{}', sandbox = 'standard', plies = plies + position % 97,
    decisions = decisions + position % 41, duration_us = duration_us + position % 1009 WHERE state = 'finished';
UPDATE match SET state = 'void', void_reason = 'three attempts failed', attempt = 3, by_rules = NULL, rated = NULL,
    details = NULL, plies = NULL, decisions = NULL, started_at_us = NULL, duration_us = NULL, game_digest = NULL,
    record_digest = NULL WHERE state = 'finished' AND position % 1000 = 0;
UPDATE match_seat SET rank = NULL, resigned = NULL WHERE match_id IN (SELECT id FROM match WHERE state = 'void');
INSERT INTO rating_order (pool_id, rating_seq, match_id, verdict)
    SELECT t.pool_id, m.position + 1, m.id, 'void' FROM match m JOIN tournament t ON t.id = m.tournament_id
    WHERE m.position >= t.rated_through;
UPDATE rating_order SET verdict = 'void' WHERE match_id IN (SELECT id FROM match WHERE state = 'void');
UPDATE rating_order SET verdict = 'void_block' WHERE verdict = 'rated' AND match_id IN (
    SELECT m.id FROM match v JOIN match m ON m.tournament_id = v.tournament_id AND m.block_id = v.block_id
    WHERE v.state = 'void');
UPDATE tournament SET more_waves = 0, cancelled_at_us = 1, rated_through = (SELECT count(*) FROM rating_order);
INSERT INTO fault (match_id, number, seat, cause, ply, explanation, evidence, tournament_id, version_id)
    SELECT m.id, 0, s.seat, CASE position % 3 WHEN 0 THEN 'ILLEGAL_ACTION' ELSE 'CRASHED' END, 12,
    'It did what nobody may do.', '{}', m.tournament_id, s.version_id
    FROM match m JOIN match_seat s ON s.match_id = m.id AND s.seat = position % 2
    WHERE state = 'finished' AND position % 200 = 7;
UPDATE match_seat SET forfeit = 1 WHERE (match_id, seat) IN (SELECT match_id, seat FROM fault);
INSERT INTO attempt (match_id, number, worker, state, leased_at_us, deadline_us, ended_at_us)
    SELECT id, attempt, 'worker-1', 'finished', 0, 100, 50 FROM match WHERE state = 'finished';
INSERT INTO replay (match_id, data) SELECT id, randomblob(2000) FROM match WHERE state = 'finished';
"""


def commands(scratch: Path) -> Iterator[tuple[list[str], float]]:
    """Yield the commands, and what each may cost beyond the start."""
    for words in (
        "tournament list",
        "tournament show long",
        "tournament standings long",
        "tournament standings long --limit 0",
        "tournament leaks long",
        "match list --state void",
        "match list long --state void",
        "match list --state void --bot bot7",
        f"match list --state void --pool {POOL}",
        "match list --fault",
        "match list long --fault --bot bot7",
        "match show 01990000-0000-7000-806d-000000000007",
        "bot list",
        "stats history bot7",
        "leaderboard",
        "leaderboard --limit 0",
    ):
        yield words.split(), LIST_S
    for words in ("crosstable", "opponents bot7", "seats", "seats bot7", "lengths"):
        yield ["stats", *words.split()], COUNT_S
        yield ["stats", *words.split(), "--tournament", "long"], COUNT_S
    yield ["rating", "official"], FIT_S
    yield ["rating", "official", "--limit", "0"], FIT_S
    yield ["rating", "fairplay"], FIT_S
    yield ["rating", "rebuild"], FILE_S
    yield ["tournament", "export", "long", str(scratch / "long.arena")], FILE_S
    for words in (
        "match list --limit 0",
        "match list long --limit 0 --json",
        "match list long --limit 0 --csv",
        "match list --bot bot7 --limit 0 --markdown",
        "tournament show long --matches --limit 0",
        "tournament show long --limit 0 --json",
        "stats history bot7 --limit 0 --json",
    ):
        yield words.split(), WHOLE_S
    new = ["--db", str(scratch / "new.db")]
    yield ["tournament", "import", str(scratch / "long.arena"), "--no-verify", *new], WHOLE_S


def fill(path: Path, matches: int) -> None:
    """Write the book into a new file."""
    make(path, matches, format_name="round-robin").close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_CHANGES)
    with closing(open_database(path)) as database, write(database) as session:
        rebuild(session, POOL)


def measure(book: Path, matches: int, scratch: Path) -> bool:
    """Print what each command costs; whether all kept their bounds."""
    empty, kept = scratch / "empty.db", True
    open_database(empty).close()
    for words, most_s in commands(scratch):
        start, cost = run(words, book, empty, repeats=1 if most_s >= FILE_S else _REPEATS)
        more = cost.cpu_s - start.cpu_s
        is_well = more < most_s * max(1.0, matches / _MATCHES) and cost.memory_mb < GOAL_MB
        kept = kept and is_well
        print(
            f"{' '.join(word for word in words if '/' not in word)[:60]:<62} +{more:6.2f} s of processor time, "
            f"{cost.memory_mb:4.0f} MB (start {start.cpu_s:.2f} s){'' if is_well else '  MISSED'}",
            flush=True,
        )
    return kept


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=_MATCHES)
    parser.add_argument("--books", type=Path, help="a directory that keeps the database for the next time")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        book = (options.books or scratch) / f"large-{options.matches}.db"
        if not book.exists():
            fill(book, options.matches)
        return 0 if measure(book, options.matches, scratch) else 1


if __name__ == "__main__":
    sys.exit(main())
