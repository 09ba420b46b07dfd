"""JSON lines: a bot is sent what the messages say, and any line of a bot is read, or refused in one sentence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from arena.hosting.manifest import parse_manifest
from arena.match.decisions import MAX_ACTIONS, Answer, Malformed, ProtocolViolation, Resignation
from arena.match.match import Match
from arena.match.time_control import parse_time_control
from arena.v1 import play_pb2
from arena.wire.lines import LineQuestion, parse_line, request_of, response_line
from arena.wire.messages import MAX_REQUEST_BYTES, Leave, MatchEncoder, encode_broken_off, encode_joined, parse_request
from engine import registry
from engine.core import ActionTable
from tests.support.patience import any_start
from tests.support.specs import king_spec, script_spec, seat_spec

QUESTION = LineQuestion("m1", 7, ActionTable(["PASS", "TAKE:1", "TAKE:2"]))
LOGS = "it is no JSON; standard output is for answers only, and logs belong on standard error"
ACTION = "an action is written as its id, which is a whole number, or as its notation in quotes"


def refusal(line: bytes, question: LineQuestion | None = QUESTION) -> str:
    """Why a line is a fault of protocol."""
    said = parse_line(line, question)
    assert isinstance(said, ProtocolViolation), said
    return said.why


# To the bot.


def everything_said(game: str, seats: int, plies: int | None = None) -> Iterator[tuple[play_pb2.PlayResponse, Any]]:
    """All messages of a match of random answers, each with the observation of a `Decide`; seat 0 makes a fault."""
    rules, rng = registry.get(game), Random(5)
    clock = any_start("60+1") if plies else any_start("none")
    match = Match(script_spec("", seats, game=game, rules_version=rules.rules_version, options={}, clock=clock))
    encoder = MatchEncoder(match)
    yield read(encode_joined([game])), None
    for seat in range(seats):
        yield read(encoder.started(seat)), None
    match.begin()
    while (decision := match.decision) is not None:
        yield read(encoder.decide(decision)), match.playing.state.observation_json(decision.seat)
        if decision.ply == plies:
            yield read(encoder.resumed(decision.seat)), None
        chosen = -1 if plies and decision.ply >= plies else rng.choice(decision.legal)
        match.receive(decision.seat, Answer("m1", decision.ply, (chosen,)), 10, 10)
    for seat in range(seats):
        yield read(encoder.finished(seat)), None
    yield read(encode_broken_off("m1")), None


def read(data: bytes) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse.FromString(data)


def mapped(value: Any) -> Any:
    """What protobuf's own JSON mapping gives, with the differences that docs/protocol.md names."""
    if isinstance(value, list):
        return [mapped(one) for one in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, one in value.items():
        if key.endswith("_json"):
            found[key.removesuffix("_json")] = json.loads(one or "{}")
        else:
            found[key] = int(one) if key.endswith("_us") or key == "seed" else mapped(one)
    return found


@pytest.mark.parametrize(("seats", "plies"), [(2, None), (3, 40)])
@pytest.mark.parametrize("game", ["foreign_king", "rex_romanorum"])
def test_every_message_says_what_protobufs_own_mapping_says(game: str, seats: int, plies: int | None) -> None:
    names, kinds = registry.get(game).actions.names, set()
    for response, observation in everything_said(game, seats, plies):
        line = response_line(response, observation, names)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        told = json.loads(line)
        kind = response.WhichOneof("event")
        kinds.add(kind)
        if kind == "decide":
            assert told["decide"].pop("observation") == json.loads(json.dumps(observation))
            legal_names = told["decide"].pop("legal_names")
            assert legal_names == [names[action] for action in response.decide.legal_actions]
            response.decide.ClearField("observation")
        theirs = json_format.MessageToDict(
            response, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        assert told == mapped(theirs)
    assert kinds == {"joined", "match_started", "decide", "match_finished"}


def test_absent_messages_are_left_out_and_faults_stand_there_by_name() -> None:
    names = registry.get("foreign_king").actions.names
    told = [json.loads(response_line(said, {}, names)) for said, _ in everything_said("foreign_king", 2, 9)]
    ends = [one["match_finished"] for one in told if "match_finished" in one]
    assert [fault["cause"] for end in ends for fault in end["faults"]] == ["FAULT_CAUSE_ILLEGAL_ACTION"]
    assert "result" not in ends[-1]
    assert all("game_info" not in one["match_started"] for one in told if "match_started" in one)


def test_a_game_of_a_family_is_described_when_its_match_starts() -> None:
    info = play_pb2.GameInfo(name="chess", actions=["A0"], options_schema_json='{"type":"object"}')
    response = play_pb2.PlayResponse(match_started=play_pb2.MatchStarted(options_json='{"a":1}', game_info=info))
    started = json.loads(response_line(response))["match_started"]
    assert started["options"] == {"a": 1}
    assert started["game_info"]["options_schema"] == {"type": "object"}
    assert not [key for one in (started, started["game_info"]) for key in one if key.endswith("_json")]


def test_events_that_only_a_newer_arena_knows_are_lines_too() -> None:
    assert json.loads(response_line(play_pb2.PlayResponse())) == {}
    finished = play_pb2.PlayResponse.FromString(b"\x22\x04\x1a\x02\x08\x63")  # a fault of cause 99
    assert json.loads(response_line(finished))["match_finished"]["faults"][0]["cause"] == 99


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def block_of_the_page(language: str) -> str:
    """The one block of the chapter on JSON lines in this language."""
    chapter = PAGE.partition("\n## JSON lines\n")[2].partition("\n## ")[0]
    (block,) = re.findall(rf"```{language}\n(.*?)```", chapter, re.DOTALL)
    return str(block)


def play_the_match_of_the_page(answers: Iterable[str]) -> Iterator[str]:
    """The lines that seat 0 is sent and those that it answers, against a bot that draws its actions by a seed."""
    game, rng, following = registry.get("foreign_king"), Random(1), iter(answers)
    seats = [seat_spec(0), seat_spec(1)]
    match = Match(replace(king_spec("0198f0c2", seats, options={"max_rounds": 3}), clock=parse_time_control("1s")))
    encoder = MatchEncoder(match)
    yield f"-> {response_line(read(encode_joined(['foreign_king']))).decode()}"
    yield f"-> {response_line(read(encoder.started(0))).decode()}"
    match.begin()
    while (decision := match.decision) is not None:
        if decision.seat == 1:
            said: Any = Answer("0198f0c2", decision.ply, (rng.choice(decision.legal),))
        else:
            observation = match.playing.state.observation_json(0)
            yield f"-> {response_line(read(encoder.decide(decision)), observation, game.actions.names).decode()}"
            answer = next(following)
            yield f"<- {answer}\n"
            said = parse_line(answer.encode(), LineQuestion("0198f0c2", decision.ply, game.actions))
        match.receive(decision.seat, said, 10, 10)
    yield f"-> {response_line(read(encoder.finished(0))).decode()}"
    assert match.result().by_rules


def test_the_match_of_the_page_is_played_as_it_stands_there() -> None:
    shown = block_of_the_page("text").splitlines(keepends=True)
    answers = [line.removeprefix("<- ").rstrip() for line in shown if line.startswith("<- ")]
    played = list(play_the_match_of_the_page(answers))
    for on_page, line in zip(shown, played, strict=True):
        pattern = ".*".join(map(re.escape, on_page.split("...")))
        assert re.fullmatch(pattern, line, re.DOTALL), f"{on_page}{line}"


def test_the_bot_of_the_page_plays() -> None:
    assert parse_manifest(tomllib.loads(block_of_the_page("toml")), place="bot.toml").protocol == "lines"
    names = registry.get("foreign_king").actions.names
    said = list(everything_said("foreign_king", 2))
    lines = b"".join(response_line(response, observation, names) for response, observation in said)
    bot = [sys.executable, "-c", block_of_the_page("python")]
    answers = subprocess.run(bot, input=lines, capture_output=True, check=True).stdout.splitlines()
    asked = [response.decide for response, _ in said if response.WhichOneof("event") == "decide"]
    assert len(asked) > 50
    for decide, answer in zip(asked, answers, strict=True):
        question = LineQuestion(decide.match_id, decide.ply, registry.get("foreign_king").actions)
        assert parse_line(answer, question) == Answer("m1", decide.ply, (decide.legal_actions[0],))


# From the bot.


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"2", Answer("m1", 7, (2,))),
        (b"-1", Answer("m1", 7, (-1,))),
        (b"999", Answer("m1", 7, (999,))),
        (b'"TAKE:1"', Answer("m1", 7, (1,))),
        (b'[2,"PASS", 2 ]', Answer("m1", 7, (2, 0, 2))),
        (b"[]", Answer("m1", 7, ())),
        (b'{"actions":[1],"note":"\xc3\xa9\\u0000"}', Answer("m1", 7, (1,), "é\0")),
        (b'{"actions":["PASS"],"match_id":"m2","ply":6}', Answer("m2", 6, (0,))),
        (b'{"act":{"match_id":"m1","ply":7,"actions":[1,2],"note":"x"}}', Answer("m1", 7, (1, 2), "x")),
        (b'{"resign":{}}', Resignation("m1")),
        (b'{"resign":{"match_id":"m2"}}', Resignation("m2")),
        (b'{"leave":{}}', Leave()),
        (b"\xef\xbb\xbf 2 \t\r\n", Answer("m1", 7, (2,))),
        (b"2\r", Answer("m1", 7, (2,))),
        (b"", None),
        (b"\n", None),
        (b" \t \r\n", None),
        (b"\xef\xbb\xbf\r\n", None),
    ],
)
def test_what_a_line_says(line: bytes, said: object) -> None:
    assert parse_line(line, QUESTION) == said


@pytest.mark.hostile("any-message")
@pytest.mark.parametrize(
    ("line", "quoted", "why"),
    [
        (b"hello world\n", "'hello world'", LOGS),
        (b"PASS", "'PASS'", 'a notation stands in quotes: "PASS"'),
        (b"{", "'{'", LOGS),
        (b"[1,]", "'[1,]'", LOGS),
        (b"1 2", "'1 2'", LOGS),
        (b"0x1", "'0x1'", LOGS),
        (b"01", "'01'", LOGS),
        (b"\x00", r"'\x00'", LOGS),
        (b"1\x00", r"'1\x00'", LOGS),
        (b'"PASS\x00"', r"""'"PASS\x00"'""", LOGS),
        (b"\x1b[2J", r"'\x1b[2J'", LOGS),
        (b"\xe2\x80\xae2", r"'\u202e2'", LOGS),
        (b"\xef\xbb\xbf\xef\xbb\xbf2", r"'\ufeff\ufeff2'", LOGS),
        (b"2\xff", r"'2\xff'", "it is not UTF-8"),
        (b'"\xed\xa0\x80"', r"""'"\xed\xa0\x80"'""", "it is not UTF-8"),
        (b"1.0", "'1.0'", ACTION),
        (b"1e400", "'1e400'", ACTION),
        (b"NaN", "'NaN'", ACTION),
        (b"-Infinity", "'-Infinity'", ACTION),
        (b"[Infinity]", "'[Infinity]'", ACTION),
        (b"true", "'true'", ACTION),
        (b"null", "'null'", ACTION),
        (b"[true]", "'[true]'", ACTION),
        (b"[[1]]", "'[[1]]'", ACTION),
        (b"2147483648", "'2147483648'", "a number in it is too large"),
        (b'"take:1"', """'"take:1"'""", "no action is written 'take:1'"),
        (b'"2"', """'"2"'""", "no action is written '2'"),
        (b'{"actions":[1],"actions":[2]}', """'{"actions":[1],"actions":[2]}'""", "it has a key twice"),
        (b'{"action":1}', """'{"action":1}'""", "the key 'action' is unknown there"),
        (b'{"act":{},"leave":{}}', """'{"act":{},"leave":{}}'""", "the key 'act' is unknown there"),
        (b'{"join":{}}', """'{"join":{}}'""", "the key 'join' is unknown there"),
        (b'{"leave":{"match_id":"m1"}}', """'{"leave":{"match_id":"m1"}}'""", "the key 'match_id' is unknown there"),
        (b'{"resign":null}', """'{"resign":null}'""", "'resign' must be an object"),
        (b'{"act":[1]}', """'{"act":[1]}'""", "'act' must be an object"),
        (b"{}", "'{}'", "the key 'actions' is missing"),
        (b'{"actions":1}', """'{"actions":1}'""", "'actions' must be a list of ids and notations"),
        (b'{"actions":[1],"ply":true}', """'{"actions":[1],"ply":true}'""", "'ply' must be a whole number"),
        (b'{"actions":[1],"note":null}', """'{"actions":[1],"note":null}'""", "'note' must be a text"),
        (b'{"resign":{"match_id":1}}', """'{"resign":{"match_id":1}}'""", "'match_id' must be a text"),
        (rb'{"actions":[1],"note":"\ud800"}', r"""'{"actions":[1],"note":"\\ud800"}'""", "'note' must be a text"),
    ],
)
def test_what_is_no_answer_is_quoted_with_the_reason(line: bytes, quoted: str, why: str) -> None:
    assert refusal(line) == f"a line that is no answer: {quoted}; {why}"


@pytest.mark.hostile("any-message")
@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"[" * 100_000, "it is nested too deep"),
        (b"[" * 100_000 + b"]" * 100_000, "it is nested too deep"),
        (b'{"a":' * 40_000 + b"1" + b"}" * 40_000, "it is nested too deep"),
        (b"9" * 5_000, "a number in it is too large"),
        (b"[" + b"9" * 200_000 + b"]", "a number in it is too large"),
        (b"-" + b"0" * 5_000, LOGS),
        (b"x" * 100_000, LOGS),
        (b'{"' + b"k" * 100_000 + b'":1}', "is unknown there"),
        (b'"' + b"n" * 100_000 + b'"', "no action is written"),
        (b"\xff" * 100_000, "it is not UTF-8"),
    ],
)
def test_what_is_long_is_shown_shortened(line: bytes, why: str) -> None:
    told = refusal(line)
    assert why in told
    assert len(told) < 400
    assert told.isprintable()


def test_a_line_is_quoted_far_enough_to_tell_file_and_number_of_a_warning() -> None:
    warning = f"Warning: Undefined variable $x in /bot/{'folder/' * 16}main.php on line 12"
    assert refusal(warning.encode()) == f"a line that is no answer: {warning!r}; {LOGS}"


def test_a_notation_without_quotes_is_told_what_it_lacks() -> None:
    assert refusal(b" PASS\r\n").endswith("""'PASS'; a notation stands in quotes: "PASS\"""")
    assert refusal(b"PASS", None) == f"a line before it was asked: 'PASS'; {LOGS}"


@pytest.mark.hostile("any-message")
def test_a_line_may_be_as_long_as_a_message() -> None:
    longest = b"2" + b" " * (MAX_REQUEST_BYTES - 1)
    assert parse_line(longest, QUESTION) == Answer("m1", 7, (2,))
    for question in (QUESTION, None):
        said = parse_line(longest + b"\n", question)
        assert said == Malformed("a message of 262145 bytes; 262144 are allowed")


@pytest.mark.hostile("any-message")
def test_of_a_million_ids_only_so_many_are_kept_that_they_are_too_many() -> None:
    said = parse_line(b"[" + b"1," * 100_000 + b"1]", QUESTION)
    assert isinstance(said, Answer)
    assert len(said.actions) == MAX_ACTIONS + 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"2", "a line before it was asked: '2'"),
        (b'"WHATEVER"', """a line before it was asked: '"WHATEVER"'"""),
        (b'{"resign":{"match_id":"m1"}}', """a line before it was asked: '{"resign":{"match_id":"m1"}}'"""),
        (b"loading...\n", f"a line before it was asked: 'loading...'; {LOGS}"),
        (b"\xff", r"a line before it was asked: '\xff'; it is not UTF-8"),
    ],
)
def test_nothing_but_leave_may_be_said_unasked(line: bytes, told: str) -> None:
    assert refusal(line, None) == told
    assert parse_line(b'{"leave":{}}\n', None) == Leave()
    assert parse_line(b"\r\n", None) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["PASS", "act", "m1"]),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["act", "resign", "leave", "actions", "note", "match_id", "ply", "x"]), inner)
    ),
)


@pytest.mark.hostile("any-message")
@given(st.binary() | ANYTHING.map(lambda value: json.dumps(value).encode()), st.booleans())
def test_no_line_raises_and_what_is_said_is_a_message(line: bytes, is_asked: bool) -> None:
    said = parse_line(line, QUESTION if is_asked else None)
    if isinstance(said, ProtocolViolation | Malformed):
        assert said.why.isprintable()
    elif said is not None:
        assert is_asked or said == Leave()
        heard = parse_request(request_of(said).SerializeToString())
        if isinstance(heard, Answer):
            heard = replace(heard, actions=tuple(heard.actions))
        assert heard == said


@given(st.lists(st.sampled_from([0, 1, 2, "PASS", "TAKE:1", "TAKE:2"]), min_size=1, max_size=MAX_ACTIONS))
def test_ids_and_notations_are_the_same_actions(actions: list[int | str]) -> None:
    names = QUESTION.actions.names
    ids = tuple(names.index(one) if isinstance(one, str) else one for one in actions)
    for said in (actions, {"actions": actions}, {"act": {"actions": actions, "match_id": "m1", "ply": 7}}):
        assert parse_line(json.dumps(said).encode(), QUESTION) == Answer("m1", 7, ids)
