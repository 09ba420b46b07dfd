"""A bot's own processes on its author's machine: what they are told of a match, how they end, which do not work."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.connect.local_bot import open_bots, prepare
from arena.connect.match_history import BEFORE_ALL, MatchHistory
from arena.connect.news import BotFailsError, BotStopped, BotWrote, MatchEnded, Note
from arena.connect.news import Connected as LetIn
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.service.server.self_signed import TlsFiles
from arena.v1 import match_pb2, play_pb2
from engine import registry
from tests.connect.bridging import connected, write_bot, write_program
from tests.support.patience import PATIENCE_S, patient_starts, until
from tests.support.play_service import FakeService, decide, finished, play_service, started

SCRIPTED = "import sys\nsys.argv[1:] = {arguments!r}\nfrom tests.support.scripted_bot import main\nmain()\n"


async def test_a_process_that_a_match_broken_off_has_forgotten_holds_nobody_up(tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    program = await prepare(directory, SandboxPolicy(), RuntimeCatalog(), tmp_path / "cache", print)
    async with asyncio.timeout(PATIENCE_S):
        async with open_bots(program, print, PATIENCE_S) as bots:
            await bots.try_out()
            bots.welcome({})
            forgotten = await bots.take()
            assert not forgotten.process.exited.done()
        assert forgotten.process.exited.done()


minutes = pytest.mark.needs("minutes")
KING = registry.get("foreign_king")


def scripted(place: Path, *arguments: str, by: str = "grpc") -> Path:
    """A bot that speaks the wire directly, by one of its links, and misbehaves."""
    keys = {"protocol": '"lines"', "games": '["*"]'} if by == "lines" else {}
    return write_program(place, SCRIPTED.format(arguments=[*arguments, f"--by={by}"]), **keys)


@pytest.mark.hostile("exit-at-once", "garbage-first", "act-first", "other-protocol")
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("exit-at-once", r"fox does not start: It ended before it joined \(exit status 3\)\. .*'cannot find my brain'"),
        pytest.param("garbage-first", "fox does not start: It sent 40 bytes that are no PlayRequest", marks=minutes),
        pytest.param("act-first", "fox does not start: It sent Act as its first message", marks=minutes),
        pytest.param(
            "other-protocol",
            "fox does not start: The protocol versions do not fit: the bot speaks protocol 2.0",
            marks=minutes,
        ),
    ],
)
async def test_a_bot_that_does_not_start_is_told_before_the_service_hears_of_it(
    tls: TlsFiles, tmp_path: Path, behaviour: str, words: str
) -> None:
    async with play_service(tls) as service:
        async with connected(service, scripted(tmp_path, "--do", behaviour)) as told:
            with pytest.raises(BotFailsError, match=words):
                await told.end()
        assert service.visits.empty()
        lines = [one.line for one in told.of(BotWrote)]
        assert ("cannot find my brain" in lines) == (behaviour == "exit-at-once")


@minutes
async def test_a_bot_that_never_joins_is_told(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_program(tmp_path, "import time\nprint('dreaming')\ntime.sleep(3600)\n")
    with patient_starts():
        async with play_service(tls) as service, connected(service, directory, start_limit_s=0.5) as told:
            with pytest.raises(BotFailsError, match=r"It did not join within 0\.5 s"):
                await told.end()


@pytest.mark.hostile("garbage", "wrong-match", "join-twice", "crash", "leave")
@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ("garbage", "it sent 40 bytes that are no PlayRequest"),
        pytest.param("wrong-match", "it answered for the match 'another', which it does not play", marks=minutes),
        pytest.param("join-twice", "it sent a second Join", marks=minutes),
        ("crash", "its process ended (SIGSEGV)"),
        pytest.param("leave", "its process ended (exit status 0)", marks=minutes),
    ],
)
async def test_what_would_end_every_match_of_the_bot_ends_one_process(
    tls: TlsFiles, tmp_path: Path, behaviour: str, why: str
) -> None:
    directory = scripted(tmp_path, "--do", behaviour, "--at", "1")
    async with play_service(tls) as service, connected(service, directory) as told:
        visit = await service.first_question()
        await visit.hear_act()
        await visit.say(decide("m1", 1))
        act = await visit.hear_act()  # the process after it answers what is its first question
        assert (act.match_id, act.ply) == ("m1", 1)
        assert (await told.wait_for(BotStopped)).why == why
        assert len(told.of(BotStopped)) == 1


def asks_by_the_kings_rules(ply: int) -> play_pb2.PlayResponse:
    """A question of The Foreign King, always for its first position."""
    state = KING.new_state(2)
    asked = play_pb2.Decide(match_id="m1", ply=ply, legal_actions=state.legal_actions())
    asked.observation.value = KING.encode_observation(state, 0)[1]
    return play_pb2.PlayResponse(decide=asked)


@pytest.mark.hostile("garbage")
@pytest.mark.parametrize(
    ("by", "why"),
    [
        pytest.param("socket", "it sent 40 bytes that are no PlayRequest", marks=minutes),
        ("lines", "it sent a line that is no answer: "),
    ],
)
async def test_by_descriptors_a_bot_plays_and_is_replaced_as_by_grpc(
    tls: TlsFiles, tmp_path: Path, by: str, why: str
) -> None:
    begins = started("m1")
    begins.match_started.game = KING.name
    async with play_service(tls) as service:
        async with connected(service, scripted(tmp_path, "--do", "garbage", "--at", "1", by=by)) as told:
            visit = await service.visit()
            await visit.welcome(play_pb2.GameInfo(name=KING.name, rules_version=KING.rules_version))
            await visit.say(begins, asks_by_the_kings_rules(0))
            assert list((await visit.hear_act()).actions) == [KING.new_state(2).legal_actions()[0]]
            await visit.say(asks_by_the_kings_rules(1))
            act = await visit.hear_act()  # the process after it answers what is its first question
            assert (act.match_id, act.ply) == ("m1", 1)
            assert (await told.wait_for(BotStopped)).why.startswith(why)
            await visit.say(finished("m1"))
            await told.wait_for(MatchEnded)
        assert len(told.of(BotStopped)) == 1


@minutes
async def test_what_concerns_its_match_alone_is_judged_by_the_service(tls: TlsFiles, tmp_path: Path) -> None:
    async with play_service(tls) as service, connected(service, scripted(tmp_path, "--do", "illegal")):
        visit = await service.first_question()
        assert list((await visit.hear_act()).actions) == [3]


async def play_after_timeout(service: FakeService, directory: Path, place: Path) -> None:
    """The service ends a match while the bot still thinks; it plays the next with another process."""
    async with connected(service, directory) as told:
        visit = await service.first_question()
        await until((place / "log").exists)
        fault = match_pb2.Fault(cause=match_pb2.FAULT_CAUSE_TIMEOUT, ply=0, explanation="It took too long.")
        await visit.say(finished("m1", fault))
        await told.wait_for(MatchEnded)
        await visit.say(started("m2"), decide("m2", 0))
        act = await visit.hear_act()
        assert (act.match_id, list(act.actions)) == ("m2", [1])
        assert visit.heard.empty()
    assert not told.of(BotStopped)


@minutes
async def test_a_bot_that_hangs_is_ended_with_its_match(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path, "if decision.match.id == 'm1':\n    wait_for('never')\nreturn 1")
    async with play_service(tls) as service:
        await play_after_timeout(service, directory, tmp_path)


@pytest.mark.usefixtures("inside")
async def test_a_bot_is_built_once_and_what_a_build_said_that_fails_is_shown(tls: TlsFiles, tmp_path: Path) -> None:
    directory = write_bot(tmp_path)
    good, bad = '\nbuild = ["/bin/sh", "-c", "echo > made"]', '\nbuild = ["/bin/sh", "-c", "echo no luck; exit 1"]'
    manifest = directory / "bot.toml"
    text = manifest.read_text()
    manifest.write_text(text + good)
    async with play_service(tls) as service:
        for expected in (1, 0):
            async with connected(service, directory) as told:
                await (await service.visit()).welcome()
                await told.wait_for(LetIn)
            assert len([note for note in told.of(Note) if note.text.startswith("building fox with")]) == expected
        manifest.write_text(text + bad)
        async with connected(service, directory) as told:
            with pytest.raises(BotFailsError, match="fox cannot be built: "):
                await told.end()
    assert "| no luck" in [note.text for note in told.of(Note)]


@pytest.mark.usefixtures("inside")
async def test_a_build_that_fails_for_want_of_a_compiler_names_the_packages(
    tls: TlsFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_program(tmp_path, "", build='["/bin/sh", "-c", "exit 1"]')
    (directory / "main.cpp").touch()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    async with play_service(tls) as service, connected(service, directory) as told:
        with pytest.raises(BotFailsError, match=r"This machine lacks what such a bot needs: apt install g\+\+ make "):
            await told.end()


def events(*plies: int) -> list[match_pb2.Event]:
    return [match_pb2.Event(ply=ply) for ply in plies]


def begun(*plies: int) -> MatchHistory:
    return MatchHistory(play_pb2.MatchStarted(match_id="m1", events=events(*plies)))


def question(ply: int, *plies: int, limit_us: int = 0, bank_us: int = 0) -> play_pb2.Decide:
    return play_pb2.Decide(match_id="m1", ply=ply, events=events(*plies), time_limit_us=limit_us, bank_us=bank_us)


def act(ply: int) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(act=play_pb2.Act(match_id="m1", ply=ply, actions=[1]))


def test_what_has_gone_of_the_time_is_subtracted_and_never_becomes_no_limit() -> None:
    history = begun()
    assert history.ask(question(0, limit_us=3_000_000, bank_us=2_500_000), 10.0) is None
    after_one = history.question(BEFORE_ALL, 11.0)
    assert after_one is not None
    assert (after_one.time_limit_us, after_one.bank_us) == (2_000_000, 2_000_000)
    long_after = history.question(BEFORE_ALL, 100.0)
    assert long_after is not None
    assert (long_after.time_limit_us, long_after.bank_us) == (1, 1)


def test_without_a_limit_there_is_none_later_either() -> None:
    history = begun()
    history.ask(question(0), 10.0)
    later = history.question(BEFORE_ALL, 100.0)
    assert later is not None
    assert later.time_limit_us == 0


def test_an_answer_is_given_again_only_to_the_same_question() -> None:
    history = begun()
    assert history.ask(question(3), 0.0) is None
    history.answer(act(3))
    assert history.ask(question(3), 1.0) == act(3)
    assert history.ask(question(5), 2.0) is None
    assert history.pending == question(5)


def test_who_resigned_resigns_whatever_is_asked() -> None:
    history = begun()
    resigned = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="m1"))
    history.answer(resigned)
    assert history.ask(question(0), 0.0) == resigned


def test_a_question_that_the_service_does_not_wait_for_any_more_is_known() -> None:
    history = begun()
    history.ask(question(3), 0.0)
    history.ask(question(8), 0.0)
    assert (history.is_passed(3), history.is_passed(8)) == (True, False)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5)), min_size=1, max_size=20))
def test_a_process_hears_of_every_ply_once_in_order_however_often_the_line_breaks(
    steps: list[tuple[bool, int]],
) -> None:
    """Each step, some plies happen; the service tells them with the question, or all again after the line broke."""
    history = begun()
    heard, told, last = BEFORE_ALL, list[int](), 0
    for is_broken, plies in steps:
        new = range(last, last + plies)
        last += plies
        if is_broken:
            history.restart(play_pb2.MatchStarted(match_id="m1", resumed=True, events=events(*range(last))))
            history.ask(question(last), 0.0)
        else:
            history.ask(question(last, *new), 0.0)
        asked = history.question(heard, 0.0)
        assert asked is not None
        told += [event.ply for event in asked.events]
        heard = history.last_ply
    assert told == list(range(last))
    assert [event.ply for event in history.resumed().events] == told
