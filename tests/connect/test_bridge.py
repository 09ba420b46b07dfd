"""A bot at home plays on a service: its processes are asked, and matches outlive crashes and broken lines."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from arena.cli.verbs.bot.connect import BridgeReport
from arena.connect import bridge, bridged_match
from arena.connect import local_bot as local
from arena.connect.bridged_matches import MOST_TAKEN_UP, BridgedMatches, most_at_once
from arena.connect.news import (
    BotFailsError,
    BotStopped,
    BotWrote,
    Disconnected,
    Draining,
    MatchBegan,
    MatchEnded,
    News,
    Note,
    Waiting,
)
from arena.connect.news import Connected as LetIn
from arena.hosting.content import content_hash
from arena.service.server.self_signed import TlsFiles
from arena.v1 import match_pb2, play_pb2
from tests.connect.bridging import connected, write_bot
from tests.support.patience import PATIENCE_S, until
from tests.support.play_service import decide, event, finished, play_service, started

inside = pytest.mark.usefixtures("inside")
CRASHES_ONCE = """
if not (PLACE / "crashed").exists():
    (PLACE / "crashed").touch()
    raise RuntimeError("no idea")
decision.note = ",".join(str(event.ply) for event in [*self.match.events, *decision.events])
return 1
"""


async def test_a_bot_joins_plays_and_leaves_when_it_is_drained(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "print('thinking')\nprint('hard', file=sys.stderr)\nreturn 2")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        join = await visit.welcome()
        assert (join.name, join.version) == ("fox", content_hash(directory)[:12])
        assert (list(join.games), join.max_concurrent_matches, join.protocol_major) == (["*"], 1, 1)
        assert visit.metadata["authorization"] == "Bearer kma_t0ken"
        await visit.say(started("m1", event(0)), decide("m1", 1, event(1)))
        act = await visit.hear_act()
        assert (act.match_id, act.ply, list(act.actions)) == ("m1", 1, [2])
        fault = match_pb2.Fault(cause=match_pb2.FAULT_CAUSE_TIMEOUT, ply=3, explanation="It was late.")
        await visit.say(finished("m1", fault))
        ended = await told.wait_for(MatchEnded)
        assert (ended.rank, ended.seats, ended.faults[0].cause, ended.faults[0].ply) == (1, 2, "TIMEOUT", 3)
        told.running.drain()
        await visit.hear_leave()
        visit.part()
        await told.end()
    assert told.of(LetIn)[0].bot == "ada/fox"
    assert {wrote.line for wrote in told.of(BotWrote)} == {"thinking", "hard"}


@inside
async def test_who_waits_long_for_a_first_match_is_told_once(
    tls: TlsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "IDLE_S", 0.0)
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        assert await told.wait_for(Waiting) == Waiting("ada/fox", ("nim",))
        visit.break_off()
        await (await service.visit()).welcome()
        await told.wait_for(LetIn, 2)
        told.running.drain()
        await told.wait_for(Draining)
    assert len(told.of(Waiting)) == 1


@inside
async def test_matches_at_once_are_processes_that_are_kept_for_the_next(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    async with play_service(tls) as service, connected(service, directory, matches=2) as told:
        visit = await service.visit()
        assert (await visit.welcome()).max_concurrent_matches == 2
        await visit.say(started("m1"), started("m2"), decide("m1", 0), decide("m2", 0))
        acts = [await visit.hear_act(), await visit.hear_act()]
        assert {act.match_id for act in acts} == {"m1", "m2"}
        processes = {act.note for act in acts}
        assert len(processes) == 2
        await visit.say(finished("m1"), finished("m2"))
        await told.wait_for(MatchEnded, 2)
        await visit.say(started("m3"), decide("m3", 0))
        assert (await visit.hear_act()).note in processes


@inside
async def test_a_match_that_begins_as_another_ends_pays_for_no_start(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m0"), decide("m0", 0))
        processes = {(await visit.hear_act()).note}
        for number in range(5):
            following = f"m{number + 1}"
            await visit.say(finished(f"m{number}"), started(following), decide(following, 0))
            processes.add((await visit.hear_act()).note)
        assert len(processes) == 1
    assert len(told.of(MatchEnded)) == 5


@inside
async def test_a_process_that_was_only_late_plays_the_next_match(
    tls: TlsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridged_match, "LATE_S", PATIENCE_S)
    monkeypatch.setattr(local, "RETURN_PATIENCE_S", PATIENCE_S)
    directory = write_bot(tmp_path, "if decision.match.id == 'm1':\n    wait_for('go')\nreturn 1")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m0"), decide("m0", 0))
        process = (await visit.hear_act()).note
        await visit.say(finished("m0"), started("m1"), decide("m1", 0))
        await until(lambda: "m1" in (tmp_path / "log").read_text())
        fault = match_pb2.Fault(cause=match_pb2.FAULT_CAUSE_TIMEOUT, ply=0, explanation="It took too long.")
        await visit.say(finished("m1", fault), started("m2"), decide("m2", 0))
        await told.wait_for(MatchBegan, 3)
        (tmp_path / "go").touch()
        act = await visit.hear_act()
        assert (act.match_id, act.note) == ("m2", process)


@inside
async def test_a_bot_that_crashed_is_told_the_match_again(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, CRASHES_ONCE)
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", event(0)), decide("m1", 3, event(1), event(2)))
        act = await visit.hear_act()
        assert (act.ply, list(act.actions), act.note) == (3, [1], "0,1,2")
        stopped = told.of(BotStopped)
        assert [(one.match_id, one.why, one.starts_left) for one in stopped] == [
            ("m1", "its process ended (exit status 1)", 2)
        ]
        assert stopped[0].last_words == "RuntimeError: no idea"


@inside
async def test_a_bot_that_always_crashes_gives_its_matches_up_and_plays_no_more(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "raise RuntimeError")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        for match_id in ("m1", "m2", "m3"):
            await visit.say(started(match_id), decide(match_id, 0))
            assert (await visit.hear()).resign.match_id == match_id
            await visit.say(finished(match_id))
        await visit.hear_leave()
        visit.part()
        with pytest.raises(BotFailsError, match="crashed in 3 matches in a row"):
            await told.end()
    assert [one.starts_left for one in told.of(BotStopped)] == [2, 1, 0, -1] * 3


@inside
async def test_a_process_that_thinks_is_not_disturbed_when_the_line_breaks(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "wait_for('go')\nreturn 1")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.first_question()
        await until((tmp_path / "log").exists)
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", resumed=True), decide("m1", 0))
        (tmp_path / "go").touch()
        act = await visit.hear_act()
        assert (act.ply, list(act.actions)) == (0, [1])
        await visit.say(finished("m1"))
        await told.wait_for(MatchEnded)
        assert visit.heard.empty(), "the answer is sent once"
    assert (tmp_path / "log").read_text() == "m1:0\n", "the bot was asked once"
    assert [what.again for what in told.of(LetIn)] == [False, True]
    assert [what.running for what in told.of(Disconnected)] == [1]
    assert len(told.of(MatchBegan)) == 1


@inside
async def test_an_answer_that_was_lost_with_the_line_is_sent_again(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "return 1")
    async with play_service(tls) as service, connected(service, directory):
        visit = await service.first_question()
        first = await visit.hear_act()
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", resumed=True), decide("m1", 0))
        assert await visit.hear_act() == first
    assert (tmp_path / "log").read_text() == "m1:0\n"


@inside
async def test_an_answer_that_crosses_the_question_asked_anew_is_sent_once(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "wait_for('go')\nreturn 1")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.first_question()
        await told.wait_for(MatchBegan)
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        (tmp_path / "go").touch()
        assert (await visit.hear_act()).ply == 0
        await visit.say(started("m1", resumed=True), decide("m1", 0), decide("m1", 2, event(0), event(1)))
        assert (await visit.hear_act()).ply == 2


@inside
async def test_a_process_hears_of_every_ply_once_although_the_line_broke(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, 'decision.note = ",".join(str(event.ply) for event in decision.events)\nreturn 1')
    async with play_service(tls) as service, connected(service, directory):
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", event(0)), decide("m1", 2, event(1)))
        assert (await visit.hear_act()).note == "1"
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", *map(event, range(5)), resumed=True), decide("m1", 5))
        assert (await visit.hear_act()).note == "2,3,4"


@inside
async def test_a_bridge_that_was_started_anew_takes_a_match_up(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, 'decision.note = f"{len(self.match.events)}"\nreturn 1')
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", *map(event, range(4)), resumed=True), decide("m1", 4))
        assert (await visit.hear_act()).note == "4"
        assert (await told.wait_for(MatchBegan)).resumed


@inside
async def test_draining_waits_for_what_runs_and_asks_for_nothing_new(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "wait_for(f'go {decision.match.id}')\nreturn 1")
    async with play_service(tls) as service, connected(service, directory, matches=2) as told:
        visit = await service.first_question()
        await told.wait_for(MatchBegan)
        told.running.drain()
        assert (await told.wait_for(Draining)).running == 1
        await visit.hear_leave()
        (tmp_path / "go m1").touch()
        await visit.hear_act()
        await visit.say(finished("m1"))
        visit.part()
        await told.end()


@inside
async def test_who_drains_and_loses_the_line_comes_back_for_what_runs_only(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "wait_for(f'go {decision.match.id}')\nreturn 1")
    async with play_service(tls) as service, connected(service, directory, matches=2) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"), decide("m1", 0), started("m2"))
        await told.wait_for(MatchBegan, 2)
        told.running.drain()
        await visit.hear_leave()
        visit.break_off()
        visit = await service.visit()
        assert (await visit.welcome()).max_concurrent_matches < 0
        await visit.say(started("m1", resumed=True), decide("m1", 0))  # the other one is over meanwhile
        (tmp_path / "go m1").touch()
        await visit.hear_act()
        await visit.say(finished("m1"))
        visit.part()
        await told.end()
        assert visit.heard.empty()
    assert [ended.match_id for ended in told.of(MatchEnded)] == ["m1"]


@inside
async def test_a_match_that_begins_while_the_bot_leaves_is_played(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        await told.wait_for(LetIn)
        told.running.drain()
        await visit.hear_leave()
        await visit.say(started("m1"), decide("m1", 0))
        await visit.hear_act()
        await visit.say(finished("m1"))
        visit.part()
        await told.end()
    assert len(told.of(MatchEnded)) == 1


@inside
async def test_a_match_that_the_service_plays_again_begins_afresh(tls: TlsFiles, tmp_path: Path) -> None:
    """After a kill of the service, it is planned again under its id; what was told before happened in another one."""
    directory = write_bot(tmp_path, 'decision.note = ",".join(str(event.ply) for event in decision.events)\nreturn 1')
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"), decide("m1", 4, *map(event, range(4))))
        await visit.hear_act()
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"), decide("m1", 2, event(0), event(1)))
        act = await visit.hear_act()
        assert (act.ply, act.note) == (2, "0,1")
        await visit.say(finished("m1"))
        await told.wait_for(MatchEnded)
        assert [what.resumed for what in told.of(MatchBegan)] == [False, False]


@inside
async def test_a_match_that_is_over_is_told_once(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path), stop_after=2) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"), finished("m1"))
        await told.wait_for(MatchEnded)
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1", resumed=True), finished("m1"), started("m2"), finished("m2"))
        await visit.hear_leave()
        visit.part()
        await told.end()
    assert [ended.match_id for ended in told.of(MatchEnded)] == ["m1", "m2"]


@inside
async def test_a_service_that_stays_away_is_told_once(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, write_bot(tmp_path)) as told:
        visit = await service.visit()
        await visit.welcome()
        await told.wait_for(LetIn)
        for _ in range(3):
            visit.break_off()
            visit = await service.visit()
        await visit.welcome()
        await told.wait_for(LetIn, 2)
    assert len(told.of(Disconnected)) == 1


async def test_processes_are_reached_over_a_port_where_sockets_do_not_work(
    tls: TlsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.worker.bot_listener.new_socket_path", lambda directory: directory / ("x" * 200))
    directory = write_bot(tmp_path, "decision.note = os.environ['ARENA_ADDRESS']\nreturn 1")
    async with play_service(tls) as service, connected(service, directory):
        visit = await service.first_question()
        assert (await visit.hear_act()).note.startswith("127.0.0.1:")


@inside
async def test_a_match_that_ended_while_the_line_was_broken_is_not_waited_for(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    async with play_service(tls) as service, connected(service, directory, stop_after=1) as told:
        visit = await service.visit()
        await visit.welcome()
        await visit.say(started("m1"))
        await told.wait_for(MatchBegan)
        visit.break_off()
        visit = await service.visit()
        await visit.welcome()
        visit.part()
        await told.end()


class NoProcess:
    """Processes that never come."""

    async def take(self) -> None:
        await asyncio.Future()

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


class Nobody:
    """A witness whom nothing interests."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


async def begun(number: int, matches: int, *, resumed: bool = False) -> tuple[int, list[News]]:
    """How many of so many matches are played by a bot that plays `matches` at once, and what its author is told."""
    news: list[News] = []
    table = BridgedMatches(cast(Any, NoProcess()), cast(Any, None), news.append, cast(Any, Nobody()), matches)
    for index in range(number):
        table.begin(play_pb2.MatchStarted(match_id=f"m{index}", game="foreign_king", seats=2, resumed=resumed))
    played = len(table)
    await table.close()
    return played, news


async def test_a_service_that_begins_more_matches_than_it_was_asked_for_gets_no_more_processes() -> None:
    most = most_at_once(2)
    played, news = await begun(most + 3, 2)
    assert played == sum(isinstance(one, MatchBegan) for one in news) == most
    (note,) = [one for one in news if isinstance(one, Note)]
    assert "more than 2 matches at once" in note.text


async def test_matches_that_an_earlier_connection_began_are_taken_up_within_reason() -> None:
    assert (await begun(200, 1, resumed=True))[0] == MOST_TAKEN_UP


def test_who_waits_is_told_how_to_get_matches(capsys: pytest.CaptureFixture[str]) -> None:
    BridgeReport("arena://club", as_json=False).write(Waiting("ada/fox", ("nim",)))
    said = capsys.readouterr().out
    assert said.startswith("ada/fox is connected and waits: no match has come yet; `")
    assert "arena --server club ladder list` shows where remote bots play, `" in said
    assert "arena --server club challenge BOT --with fox --game nim` plays against a bot at once" in said
