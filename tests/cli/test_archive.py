from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ratings.store.export_format import read_chain, write_chain
from tests.cli.support import Arena, Finished
from tests.cli.test_tournament import MONDAY


def export(table: Arena) -> Finished:
    """Have a tournament in the database, and in a file."""
    return table.played(MONDAY, "tournament export monday monday.arena")[1]


def export_short(table: Arena) -> None:
    """Have one of two short matches, which are soon played again to verify them."""
    short = "tournament run round-robin --game foreign_king --seats 2 --bots ada,bob --option max_rounds=2 --seed 1"
    ended = table.played(f"{short} --name monday --workers 1", "tournament export monday monday.arena")
    assert [one.code for one in ended] == [0, 0]


def test_a_tournament_goes_out_and_comes_in(table: Arena, tmp_path: Path) -> None:
    written = export(table)
    assert written.code == 0
    digest = written.out.partition("digest ")[2][:64]
    read = table("tournament", "import", "monday.arena", "--db", "copy.db", "--digest", digest)
    assert "tournament monday imported: 6 matches, with the ratings of the file" in read.out
    there, here = (table("leaderboard", "--json", "--db", db).json for db in ("copy.db", str(table.db)))
    assert there == here
    assert "6 replays were played again and agree" in read.out
    checked = table("db", "check", "--db", "copy.db")
    assert checked.code == 0, checked.out  # the programs of the bots stay where they were, and that is no problem
    assert table("tournament", "show", "monday", "--db", "copy.db").code == 0


@pytest.mark.hostile("change-an-exported-file")
def test_a_changed_file_is_refused_and_nothing_is_written(table: Arena, tmp_path: Path) -> None:
    export_short(table)
    file = tmp_path / "monday.arena"
    file.write_text(file.read_text("ascii").replace('"ada"', '"bob"', 1), "ascii")
    message = table.refusal("tournament", "import", "monday.arena", "--db", "copy.db", code=1)
    assert "line " in message
    assert "was changed" in message
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


@pytest.mark.hostile("hand-over-another-file")
def test_another_digest_an_unknown_tournament_and_a_second_import_are_refused(table: Arena) -> None:
    export_short(table)
    other = ("tournament", "import", "monday.arena", "--db", "copy.db")
    assert "its digest is" in table.refusal(*other, "--digest", "00", code=1)
    assert "no name for a tournament" in table.refusal(*other, "--name", "")
    assert "there is no tournament" in table.refusal("tournament", "export", "tuesday", "tuesday.arena")
    assert table(*other).code == 0
    assert "in this database already" in table.refusal(*other, code=1)


Records = list[tuple[str, Any]]


def of(records: Records, kind: str) -> Iterator[dict[str, Any]]:
    return (row for name, row in records if name == kind)


def swap_ranks(records: Records) -> None:
    """Whoever lost the first match has won it."""
    match = next(of(records, "match"))["id"]
    seats = [row for row in of(records, "match_seat") if row["match_id"] == match]
    ranks = sorted(row["rank"] for row in seats)
    for row in seats:
        row["rank"] = ranks[-1] if row["rank"] == ranks[0] else ranks[0]


def swap_bots(records: Records) -> None:
    """Two bots have one another's versions, and so one another's results."""
    first, second = list(of(records, "version"))[:2]
    first["bot_id"], second["bot_id"] = second["bot_id"], first["bot_id"]


def swap_versions(records: Records) -> None:
    first, second = list(of(records, "match_seat"))[:2]
    first["version_id"], second["version_id"] = second["version_id"], first["version_id"]


def change(kind: str, key: str, value: Any) -> Callable[[Records], None]:
    def forge(records: Records) -> None:
        next(of(records, kind))[key] = value

    return forge


def shift_margin(records: Records) -> None:
    row = next(of(records, "tournament"))
    row["settings"] = {**row["settings"], "margin_us": 1}


FORGERIES: list[Callable[[Records], None]] = [
    swap_ranks,
    swap_versions,
    shift_margin,
    change("match", "plies", 1),
    change("match", "game_digest", "0" * 64),
    change("block", "opening", []),
]
MORE_FORGERIES = [
    swap_bots,
    change("match", "decisions", 1),
    change("match", "record_digest", "0" * 64),
    change("match", "by_rules", False),
    change("match", "details", {}),
    change("block", "chance_seed", 1),
    change("tournament", "secret", "00" * 32),
]


def forge(source: Path, target: Path, deed: Callable[[Records], None]) -> None:
    """Write a file that says something else, with its chain of hashes made right again."""
    with source.open(encoding="ascii") as file:
        records = [(kind, value) for _, kind, value in read_chain(file, "it")]
    deed(records)
    with target.open("w", encoding="ascii") as file:
        write_chain(file, records)


@pytest.mark.hostile("forge-ranks", "forge-versions", "forge-clocks", "forge-lengths", "forge-digests", "forge-seeds")
@pytest.mark.parametrize("deeds", [FORGERIES, pytest.param(MORE_FORGERIES, marks=pytest.mark.needs("minutes"))])
def test_what_contradicts_its_replays_is_refused_and_nothing_is_written(
    table: Arena, tmp_path: Path, deeds: Sequence[Callable[[Records], None]]
) -> None:
    export_short(table)
    for deed in deeds:
        forge(tmp_path / "monday.arena", tmp_path / "forged.arena", deed)
        told = table.refusal("tournament", "import", "forged.arena", "--db", "copy.db", code=1)
        assert "nothing was imported" in told, deed
    assert table("tournament", "list", "--db", "copy.db", "--json").json == []


@pytest.mark.hostile("forge-ranks")
def test_unverified_it_comes_in_and_that_is_told(table: Arena, tmp_path: Path) -> None:
    export_short(table)
    forge(tmp_path / "monday.arena", tmp_path / "forged.arena", swap_ranks)
    read = table("tournament", "import", "forged.arena", "--db", "copy.db", "--no-verify")
    assert read.code == 0
    assert "were not verified" in read.out
    assert table("replay", "verify", "--all", "--db", "copy.db").code == 1


@pytest.mark.host_fault("files-of-a-version-gone")
@pytest.mark.parametrize("lost", [True, False])
def test_files_that_were_here_and_are_gone_are_a_problem_those_that_never_came_are_none(
    table: Arena, tmp_path: Path, lost: bool
) -> None:
    export_short(table)
    assert table("tournament", "import", "monday.arena", "--db", "copy.db").code == 0
    if lost:
        directory = next(path for path in table.db.with_suffix(".bots").iterdir() if path.name[0] != ".")
        assert table("bot", "add", str(directory), "--db", "copy.db").code == 0
        (tmp_path / "copy.bots" / directory.name).rename(tmp_path / "away")
    checked = table("db", "check", "--db", "copy.db")
    assert ("are missing; add the bot again" in checked.out) is lost
    assert checked.code == int(lost)
