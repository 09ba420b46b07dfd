"""What an arena tells a program: typed rows, printed and in HTML, in which nothing acts on a page or a terminal."""

import io
import sys
import types
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.api import Arena, MissingPackageError
from arena.match.replay import load
from arena.model.errors import RefusedError
from arena.model.table_columns import Column, ColumnKind
from arena.scripting.playing import ProgressLine, progress_text
from arena.scripting.tables import ResultTable
from arena.tournament.run_progress import RunProgress
from ratings.values.leaderboards import LeaderboardRow
from tests.api.players import first

HOSTILE = "<script>alert('x')</script>&\x1b[31m"


def read_html(html: str) -> ElementTree.Element:
    """The elements of what a notebook is shown; it is well formed."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def test_a_leaderboard_has_typed_rows_the_best_first(played: Arena) -> None:
    table = played.leaderboard()
    assert {row.bot for row in table} == {"random", "first", "second"}
    assert all(isinstance(row, LeaderboardRow) for row in table)
    assert [row.exposure for row in table] == sorted((row.exposure for row in table), reverse=True)
    assert (len(table), table[0].rank, table[:2]) == (3, 1, table.rows[:2])
    assert (table.pool.game, table.matches) == ("foreign_king", 6)
    assert table == played.leaderboard("foreign_king", seats=2, clock="100ms")


def test_official_ratings_have_intervals_and_can_be_anchored(played: Arena) -> None:
    table = played.official(anchors={"random": 1500}, confidence=0.9, circles=True)
    by_name = {row.bot: row for row in table}
    assert (by_name["random"].elo, by_name["random"].is_anchor) == (1500, True)
    first = by_name["first"]
    assert first.elo_low is None or first.elo_low < first.elo
    assert first.elo_high is None or first.elo < first.elo_high
    assert table.table.confidence == 0.9
    assert "fixed" in repr(table)


def test_a_crosstable_is_a_square_of_scores(played: Arena) -> None:
    table = played.crosstable("study")
    assert set(table.bots) == {"random", "first", "second"}
    scores = {(one.bot, one.opponent): one.score for one in table}
    assert all(abs(score + scores[other, bot] - 1) < 1e-9 for (bot, other), score in scores.items())
    assert len(read_html(table._repr_html_()).findall(".//tbody/tr")) == 3
    assert played.crosstable(game="foreign_king", limit=2).bots == table.bots[:2]


def test_everything_is_listed(played: Arena) -> None:
    assert {row.name for row in played.bots()} == {"random", "first", "second"}
    assert [row.name for row in played.tournaments()] == ["one", "study"]
    assert len(played.matches()) == 7
    assert len(played.matches("study", limit=5)) == 5
    assert {seat.bot for row in played.matches("study", bot="second") for seat in row.seats} >= {"second", "first"}
    assert len(played.matches(fault="any")) == 0
    with pytest.raises(RefusedError, match="TIMEOUT"):
        played.matches(fault="late")


def test_a_replay_tells_each_ply_and_shows_the_board(played: Arena, tmp_path: Path) -> None:
    (row,) = played.matches("one")
    replay = played.replay(row.id[-8:])
    assert (replay.match_id, replay.bots) == (row.id, ("random", "first", "random"))
    assert replay.ranks == tuple(seat.rank for seat in row.seats)
    assert len(replay.actions) == len(replay.entries) == row.plies
    assert replay.board.startswith("<svg")
    replay.save(tmp_path / "one.replay")
    assert load((tmp_path / "one.replay").read_bytes())["match_id"] == row.id
    (image,) = read_html(replay._repr_html_()).findall(".//img")
    assert image.attrib["src"].startswith("data:image/svg+xml;base64,")
    assert replay.actions[0] in repr(replay)


def test_a_match_shows_its_seats_and_its_board(table: Arena) -> None:
    match = table.match("foreign_king", ["random", first], seed=4)
    shown = read_html(match._repr_html_())
    assert [cell.text for cell in shown.findall(".//tbody/tr/td")][1::5] == ["random", "first"]
    (image,) = shown.findall(".//img")
    assert image.attrib["src"].startswith("data:image/svg+xml;base64,")
    assert match.id in repr(match)


@pytest.fixture
def hostile() -> ResultTable[str]:
    return ResultTable(
        HOSTILE,
        (HOSTILE,),
        str,
        (Column("", HOSTILE, of=str, is_name=True), Column("", "length", ColumnKind.COUNT, of=len)),
        (HOSTILE,),
    )


def test_whatever_stands_in_a_table_is_escaped(hostile: ResultTable[str]) -> None:
    html = hostile._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;") == 4


def test_nothing_that_is_printed_reaches_the_terminal_as_it_is(hostile: ResultTable[str]) -> None:
    text = repr(hostile)
    assert "\x1b" not in text
    assert text.count("\\x1b[31m") == 4


def test_a_long_table_is_shown_in_part_and_says_so() -> None:
    table = ResultTable("many", tuple(range(1000)), int, (Column("", "number", ColumnKind.COUNT, of=int),))
    assert len(table) == 1000
    assert "... 900 more rows" in repr(table)
    assert len(read_html(table._repr_html_()).findall(".//tbody/tr")) == 100


@pytest.mark.parametrize("ask", ["leaderboard", "official", "crosstable", "bots", "matches", "tournaments"])
def test_without_pandas_a_frame_says_what_to_install(ask: str, played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = getattr(played, ask)()
    with pytest.raises(
        MissingPackageError, match=r"to_pandas\(\) needs the package pandas .*; install it: pip install"
    ):
        table.to_pandas()
    assert isinstance(table._repr_html_(), str)


def test_another_module_that_is_called_pandas_is_told(played: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", types.ModuleType("pandas"))
    with pytest.raises(
        MissingPackageError, match=r"needs the package pandas \(None has no DataFrame\); install it: pip"
    ):
        played.bots().to_pandas()


def test_a_line_tells_how_far_it_is() -> None:
    state = RunProgress(
        finished=12, void=0, total=60, played=12, plies=0, decisions=0, lost=0, is_cancelled=False, speed=3.2
    )
    assert progress_text(state) == "12/60 matches, 3.2/s, about 15 s left"


def test_the_line_comes_when_it_takes_long_and_only_now_and_then() -> None:
    now, stream = [0.0], io.StringIO()
    line = ProgressLine(stream, lambda: now[0])
    state = RunProgress(
        finished=1, void=0, total=4, played=1, plies=0, decisions=0, lost=1, is_cancelled=False, speed=None
    )
    for second in (0.5, 1.9, 2.5, 3.0, 12.4, 12.6):
        now[0] = second
        line(state)
    line.end()
    assert stream.getvalue() == "1/4 matches, 1 lost by the host and played again\n" * 2


def test_in_a_notebook_the_line_is_written_over() -> None:
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    now = [0.0]
    line = ProgressLine(stream, lambda: now[0])
    for second, done in ((2.5, 10), (2.6, 11), (3.0, 12)):
        now[0] = second
        line(
            RunProgress(
                finished=done, void=0, total=60, played=1, plies=0, decisions=0, lost=0, is_cancelled=False, speed=None
            )
        )
    line.end()
    assert stream.getvalue() == "\r10/60 matches\r12/60 matches\n"


def test_a_tournament_that_is_quick_says_nothing(table: Arena, capsys: pytest.CaptureFixture[str]) -> None:
    table.match("foreign_king", ["random", first], progress=True)
    assert capsys.readouterr() == ("", "")
