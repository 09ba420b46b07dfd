"""The process that does for the pages what takes long, and what is kept of its answers."""

import gzip
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from arena.i18n.catalogue import translate
from arena.model.errors import UnknownError
from arena.model.ratings import Form
from arena.web.helper.priority import IDLE
from arena.web.helper.process import HelperProcess
from arena.web.helper.stories import story_renderer
from arena.web.official.fitting import Fitter
from arena.web.official.tables import FitError
from arena.web.opening import open_site
from arena.web.shared.answer_cache import AnswerCache
from arena.web.shared.site import Site
from arena.web.shared.version_records import VersionRecords
from arena.web.viewer.story_cache import render_story
from ratings.values.leaderboards import LeaderboardRow
from tests.support.patience import PATIENCE_S
from tests.support.places import wait_for_end
from tests.support.processes import wait_until


@pytest.fixture(scope="module")
def helped(played: Path) -> Iterator[Site]:
    """A site with such a process."""
    with open_site(str(played), is_helped=True) as site:
        yield site


def helper_of(site: Site) -> HelperProcess:
    assert site.helper is not None
    return site.helper


def process_of(helper: HelperProcess) -> int | None:
    """None before it is started, and after it was seen to have ended."""
    return None if helper._process is None else helper._process.pid


def nothing() -> Any:
    raise AssertionError("the helper should have answered")


def test_the_helper_answers_as_the_arena_itself(helped: Site) -> None:
    helper, arena = helper_of(helped), helped.arena
    for question, arguments in (
        ("tournaments.get_tournament", ("duel",)),
        ("tournaments.list_pairings", ("cup",)),
        ("statistics.get_crosstable", ("three",)),
    ):
        part, _, name = question.partition(".")
        assert helper.ask(nothing, question, *arguments) == getattr(getattr(arena, part), name)(*arguments)
    rows = arena.overview.list_standings("greedy")
    record = helper.ask(nothing, "overview.get_record", rows[0].pool.pool_id, rows[0].version_id, points=50)
    assert record == arena.overview.get_record(rows[0].pool.pool_id, rows[0].version_id, 50)
    assert record.seats
    assert {one.bot for one in record.opponents} == {"random", "first"}


def test_a_match_is_told_elsewhere_word_for_word(helped: Site) -> None:
    match = helped.arena.matches.list_matches("match-1", limit=1).items[0].id
    told = story_renderer(helper_of(helped))(helped.arena, match, "de")
    assert told == render_story(helped.arena, match, "de")
    assert json.loads(gzip.decompress(told))["language"] == "de"


def test_a_question_that_fails_there_is_asked_here_with_its_error(helped: Site) -> None:
    answers = AnswerCache(helped.helper, patience_s=PATIENCE_S)
    for _ in range(2):
        with pytest.raises(UnknownError, match="nosuch"):
            answers.ask(helped.arena, "tournaments.list_confidence", "nosuch")


def test_ctrl_c_in_a_terminal_is_not_for_the_processes_of_the_pages(
    helped: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper_of(helped).start()
    process = process_of(helper_of(helped))
    assert process is not None
    assert (os.getpgid(process), os.getsid(process)) == (process, os.getsid(0)), "in a session it would not give way"
    telling = "import json, os; print(json.dumps({'why_not': str(os.getpgid(0) == os.getpid() != os.getsid(0))}))"
    monkeypatch.setattr("arena.web.official.fitting._COMMAND", (sys.executable, "-c", telling))
    with pytest.raises(FitError, match="True"):
        Fitter("any.db").fit("any")


def test_a_fit_that_ends_before_it_is_asked_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.official.fitting._COMMAND", (sys.executable, "-c", ""))
    with pytest.raises(FitError, match="ended without an answer"):
        Fitter("longer than a pipe holds " * 10_000).fit("any")


def test_why_a_table_cannot_be_fitted_is_told_in_every_language(played: Path) -> None:
    with pytest.raises(FitError, match="no pool 'nosuch'") as caught:
        Fitter(str(played)).fit("nosuch")
    assert translate(str(caught.value), "de").startswith("kein Pool 'nosuch'; ")


@pytest.mark.needs("minutes")
def test_a_helper_that_is_never_let_run_is_replaced_by_one_that_gives_way_less(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped here, as where bots take all of the machine."""
    helper = HelperProcess(str(played), IDLE, patience_s=0.2)
    try:
        helper.start()
        first = process_of(helper)
        assert first is not None
        wait_until(lambda: os.sched_getscheduler(first) == os.SCHED_IDLE)
        os.kill(first, signal.SIGSTOP)
        assert helper.ask(nothing, "overview.count_matches", "duel") > 0
        second = process_of(helper)
        assert second not in (None, first)
        assert os.sched_getscheduler(second or 0) == os.SCHED_OTHER
    finally:
        helper.close()
    fits = "import json, sys, time\nif json.loads(sys.stdin.readline())['niceness'] == 20: time.sleep(3600)"
    monkeypatch.setattr("arena.web.official.fitting._COMMAND", (sys.executable, "-c", f"{fits}\nprint('{{}}')"))
    with pytest.raises(KeyError, match="pool"):
        Fitter("any.db", patience_s=1.0).fit("any")


@pytest.mark.needs("minutes")
def test_a_helper_that_was_killed_is_replaced(played: Path) -> None:
    helper = HelperProcess(str(played))
    try:
        helper.start()
        first = process_of(helper)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert helper.ask(lambda: "here", "overview.count_matches", "duel") == "here"
        assert helper.ask(nothing, "overview.count_matches", "duel") > 0
        second = process_of(helper)
        assert second not in (None, first)
    finally:
        helper.close()
    assert wait_for_end(second or 0, 60)
    assert helper.ask(lambda: "here", "overview.count_matches", "duel") == "here"


@dataclass
class Counting:
    """An arena that counts what it is asked."""

    asked: list[list[str]] = field(default_factory=list)

    @property
    def overview(self) -> "Counting":
        return self

    def list_forms(self, _pool: str, versions: list[str]) -> dict[str, Form]:
        self.asked.append(versions)
        return {version: Form(version, (1.0, 2.0), 1.0, len(self.asked)) for version in versions}


ROW = LeaderboardRow(
    rank=1,
    version_id="a",
    bot="ann",
    number=1,
    content_hash="00",
    owner=None,
    mu=25.0,
    sigma=1.0,
    exposure=22.0,
    matches=10,
    wins=5,
    score=0.5,
    disabled=False,
)


def test_how_a_version_did_is_read_again_once_its_rating_is_another_one() -> None:
    arena, records = Counting(), VersionRecords()
    other = replace(ROW, version_id="b")
    first = records.forms(arena, "p", [ROW], nothing)  # type: ignore[arg-type] # it is asked nothing else
    assert records.forms(arena, "p", [ROW, other], nothing)["a"] == first["a"]  # type: ignore[arg-type]
    again = records.forms(arena, "p", [replace(ROW, mu=25.1), other], nothing)  # type: ignore[arg-type]
    assert again["a"].faults == 3
    assert list(records.forms(arena, "another", [ROW], nothing)) == ["a"]  # type: ignore[arg-type]
    assert arena.asked == [["a"], ["b"], ["a"], ["a"]]
