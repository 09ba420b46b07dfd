"""Writes and reads the JSON lines of a bot whose `bot.toml` has `protocol = "lines"`. Pure; no bytes raise.

The messages are those of `play.proto` in protobuf's JSON mapping, with the fields' own names, every field written and
64-bit integers as numbers. What a message holds as bytes or as the text of JSON stands there as JSON. A bot may answer
in short: `12`, `"PASS"` or `[12, "PASS"]`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson
from google.protobuf.message import Message as ProtobufMessage

from arena.match.decisions import MAX_ACTIONS, Answer, Decision, Message, ProtocolViolation, Resignation
from arena.v1 import play_pb2
from arena.wire.messages import Leave, find_excess
from engine.core import ActionTable, NotationError
from engine.translatable import Text, joined

_BLANK = " \t\r\n"
_JSON_SUFFIX = "_json"
_INT32 = range(-(2**31), 2**31)
_MOST_DIGITS = len(str(_INT32[0]))
_MOST_SHOWN = 60
_MOST_SHOWN_OF_LINE = 200
"""Enough for a warning of an interpreter with its file and the number of its line."""
_ACT_KEYS = ("actions", "note", "match_id", "ply")


@dataclass(frozen=True, slots=True)
class LineQuestion:
    """The `Decide` that a short answer refers to."""

    match_id: str
    ply: int
    actions: ActionTable
    """The actions of the game, by which notations are read."""


class LineError(ValueError):
    """A line is no answer; the message is a text that says why."""


def response_line(
    response: play_pb2.PlayResponse, observation: Mapping[str, Any] | None = None, names: Sequence[str] = ()
) -> bytes:
    """Return what a bot is sent as one line, its end included; for a `Decide`, see `decide_line`."""
    kind = response.WhichOneof("event")
    if kind is None:
        return b"{}\n"
    if kind != "decide":
        return _line({kind: _to_json(getattr(response, kind))})
    told = response.decide
    decision = Decision(
        seat=-1,  # that of the bot, which knows it
        ply=told.ply,
        legal=told.legal_actions,
        events=told.events,  # type: ignore[arg-type] # they have what is written of an event
        bank_us=told.bank_us,
        time_limit_us=told.time_limit_us,
        dropped=told.dropped_actions,
    )
    return decide_line(told.match_id, decision, observation, names)


def decide_line(
    match_id: str, decision: Decision, observation: Mapping[str, Any] | None, names: Sequence[str]
) -> bytes:
    """Return a `Decide` as one line, its end included.

    `observation` is what the seat sees, as the game's JSON, and `names` has the notation of every action of the game by
    its id. Raises IndexError if a legal action has no name.
    """
    return _line({"decide": _decide(match_id, decision, observation, names)})


def _line(content: Mapping[str, Any]) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)


def _decide(
    match_id: str, decision: Decision, observation: Mapping[str, Any] | None, names: Sequence[str]
) -> dict[str, Any]:
    legal = list(decision.legal)
    return {
        "match_id": match_id,
        "ply": decision.ply,
        "observation": observation,
        "legal_actions": legal,
        "legal_names": [names[action] for action in legal],
        "events": [
            {
                "ply": event.ply,
                "seat": event.seat,
                "action": event.action,
                "forced": event.forced,
                "reveals": [{"kind": reveal.kind, "values": list(reveal.values)} for reveal in event.reveals],
            }
            for event in decision.events
        ],
        "bank_us": decision.bank_us,
        "time_limit_us": decision.time_limit_us,
        "dropped_actions": decision.dropped,
    }


def _to_json(message: ProtobufMessage) -> dict[str, Any]:
    """Return a message as JSON: every field by its own name, messages that are absent left out."""
    content: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name.endswith(_JSON_SUFFIX):
            content[field.name.removesuffix(_JSON_SUFFIX)] = json.loads(value or "{}")
        elif field.message_type is not None:
            if field.is_repeated:
                content[field.name] = [_to_json(one) for one in value]
            elif message.HasField(field.name):
                content[field.name] = _to_json(value)
        elif field.enum_type is not None:
            known = field.enum_type.values_by_number.get(value)
            content[field.name] = value if known is None else known.name
        else:
            content[field.name] = list(value) if field.is_repeated else value
    return content


def parse_line(line: bytes, question: LineQuestion | None) -> Message | Leave | None:
    """Return what a line of a bot says, or None for a blank line, which says nothing.

    `question` is the `Decide` that waits for an answer; None if there is none, or if it has been answered.
    """
    if question is not None and line.isdigit() and len(line) < _MOST_DIGITS - 1 and not line.startswith(b"0"):
        return Answer(question.match_id, question.ply, (int(line),))  # as most bots answer mostly
    if (excess := find_excess(line)) is not None:
        return excess
    why: str
    try:
        text = line.decode("utf-8-sig")
        if not text.strip(_BLANK):
            return None
        said = _read(_DECODER.decode(text), question)
    except LineError as error:
        why = error.args[0]
    except UnicodeDecodeError:
        why = Text("it is not UTF-8")
    except RecursionError:
        why = Text("it is nested too deep")
    except json.JSONDecodeError:
        why = _why_no_json(text, question)
    else:
        if question is None and not isinstance(said, Leave):
            return ProtocolViolation(Text("a line before it was asked: {line}", line=_quote(line)))
        return said
    if question is None:
        return ProtocolViolation(joined(Text("a line before it was asked: {line}", line=_quote(line)), why))
    return ProtocolViolation(joined(Text("a line that is no answer: {line}", line=_quote(line)), why))


def request_of(message: Answer | Resignation | Leave) -> play_pb2.PlayRequest:
    """Return the message that says what a line said."""
    match message:
        case Answer(match_id, ply, actions, note):
            act = play_pb2.Act(match_id=match_id, ply=ply, actions=actions, note=note)
            return play_pb2.PlayRequest(act=act)
        case Resignation(match_id):
            return play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
        case Leave():
            return play_pb2.PlayRequest(leave=play_pb2.Leave())


def _why_no_json(text: str, question: LineQuestion | None) -> Text:
    if question is not None and (name := text.strip(_BLANK)) in question.actions.names:
        return Text("a notation stands in quotes: {line}", line=json.dumps(name))
    return Text("it is no JSON; standard output is for answers only, and logs belong on standard error")


# What a line may hold.


def _read(value: Any, question: LineQuestion | None) -> Answer | Resignation | Leave:
    match value:
        case dict() if len(value) == 1 and (kind := next(iter(value))) in ("act", "resign", "leave"):
            content = value[kind]
            if type(content) is not dict:
                raise LineError(Text("{key} must be {form}", key=repr(kind), form=Text("an object")))
            if kind == "act":
                return _read_act(content, question)
            _check_keys(content, ("match_id",) if kind == "resign" else ())
            return Resignation(_read_match_id(content, question)) if kind == "resign" else Leave()
        case dict():
            return _read_act(value, question)
        case list():
            return _read_act({"actions": value}, question)
    return _read_act({"actions": [value]}, question)


def _read_act(content: Mapping[str, Any], question: LineQuestion | None) -> Answer:
    _check_keys(content, _ACT_KEYS)
    if "actions" not in content:
        raise LineError(Text("the key {key} is missing", key=repr("actions")))
    actions, ply = content["actions"], content.get("ply", question.ply if question else 0)
    if type(actions) is not list:
        form = Text("a list of ids and notations")
        raise LineError(Text("{key} must be {form}", key=repr("actions"), form=form))
    if type(ply) is not int:
        raise LineError(Text("{key} must be {form}", key=repr("ply"), form=Text("a whole number")))
    ids = tuple(_read_action(action, question) for action in actions[: MAX_ACTIONS + 1])
    return Answer(_read_match_id(content, question), ply, ids, _read_text(content, "note", ""))


def _read_action(action: Any, question: LineQuestion | None) -> int:
    if type(action) is int:
        return action
    if type(action) is not str:
        _refuse_value("")
    try:
        return question.actions.parse(action) if question else 0
    except NotationError as error:
        raise LineError(error.args[0]) from None


def _read_match_id(content: Mapping[str, Any], question: LineQuestion | None) -> str:
    return _read_text(content, "match_id", question.match_id if question else "")


def _read_text(content: Mapping[str, Any], key: str, default: str) -> str:
    text = content.get(key, default)
    # JSON can write half a surrogate pair, which is no character: no message and no database takes it.
    if type(text) is not str or any("\ud800" <= character <= "\udfff" for character in text):
        raise LineError(Text("{key} must be {form}", key=repr(key), form=Text("a text")))
    return text


def _check_keys(content: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in content:
        if key not in known:
            raise LineError(Text("the key {key} is unknown there", key=_shorten(repr(key[:_MOST_SHOWN]), _MOST_SHOWN)))


def _quote(line: bytes) -> str:
    """Return a line as a message shows it: printable, and cut if it is long."""
    beginning = line.strip()[: 4 * _MOST_SHOWN_OF_LINE]
    try:
        return _shorten(repr(beginning.decode()), _MOST_SHOWN_OF_LINE)
    except UnicodeDecodeError:
        return _shorten(repr(beginning).removeprefix("b"), _MOST_SHOWN_OF_LINE)


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise LineError(Text("it has a key twice"))
    return content


def _whole_number(digits: str) -> int:
    """Return a number of JSON, whose type in the messages is int32."""
    if len(digits) > _MOST_DIGITS or (number := int(digits)) not in _INT32:
        raise LineError(Text("a number in it is too large"))
    return number


def _refuse_value(_: str) -> NoReturn:
    raise LineError(Text("an action is written as its id, which is a whole number, or as its notation in quotes"))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_of, parse_int=_whole_number, parse_float=_refuse_value, parse_constant=_refuse_value
)
