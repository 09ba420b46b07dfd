"""The rules of the protocol, in the order of docs/protocol.md, with the message and the remedy for a broken rule.

This module contains only values. A test keeps the list in docs/protocol.md equal.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.translatable import Text


class Transport(enum.StrEnum):
    """How the messages of a bot travel."""

    GRPC = "grpc"
    SOCKET = "socket"
    """A socket pair, whose descriptor ARENA_STREAM_FD names."""
    LINES = "lines"
    """JSON lines on standard input and output."""


class Offer(enum.StrEnum):
    """How the bot may speak with the arena."""

    PROTOBUF = "protobuf"
    """By a socket pair or by gRPC: the bot chooses, as in the arena."""
    GRPC = "grpc"
    """By gRPC alone."""
    LINES = "lines"


FLUSHES = "flushes"
NAMES = {Transport.GRPC: "gRPC", Transport.SOCKET: Text("socket"), Transport.LINES: Text("JSON lines")}
"""What the transports are called."""
_GRPC, _PROTOBUF, _LINES = (Transport.GRPC,), (Transport.GRPC, Transport.SOCKET), (Transport.LINES,)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the protocol."""

    id: str
    """The name of the rule on the command line and in every report."""
    statement: str
    """What the rule demands, in one sentence."""
    broken: str
    """How the rule was broken, in one sentence. In a message, what was observed follows it."""
    remedy: str
    """What the author of the bot should do, in one sentence."""
    transports: tuple[Transport, ...] = tuple(Transport)
    """Of which transports it is a rule."""

    def message(self, seen: str) -> str:
        """Return the message for the author of the bot; `seen` is what was observed, without a full stop."""
        return Text("{why} Seen: {what}. Remedy: {remedy}", why=self.broken, what=seen, remedy=self.remedy)


STARTING = (
    Rule(
        "connects",
        Text(
            "Within 10 s of its start, the bot opens its stream: it writes to the socket that ARENA_STREAM_FD names, "
            "or calls `arena.v1.PlayService/Play` at ARENA_ADDRESS."
        ),
        Text("The bot did not open a stream in time."),
        Text(
            "Write Join to the socket that ARENA_STREAM_FD names, or connect without TLS to the target in "
            "ARENA_ADDRESS and call Play at once. If the bot speaks JSON lines, write "
            'protocol = "lines" into bot.toml; for a command, add --protocol lines.'
        ),
        _PROTOBUF,
    ),
    Rule(
        "token",
        Text(
            "The call carries the metadata `authorization: Bearer <token>` with the value of ARENA_TOKEN as the token."
        ),
        Text("The call did not carry the token."),
        Text(
            "Send the metadata key `authorization` with the value `Bearer `, including the space, followed by "
            "ARENA_TOKEN."
        ),
        _GRPC,
    ),
    Rule(
        "join-first",
        Text("The bot sends Join as its first message, without waiting for the arena."),
        Text("The first message was not Join."),
        Text("Send Join as soon as the stream is open, before you read or send anything else."),
        _PROTOBUF,
    ),
    Rule(
        "join-protocol",
        Text("Join states the protocol version that the bot speaks: major 1."),
        Text("Join stated another protocol version."),
        Text("Set protocol_major and protocol_minor of Join; generate the code from the arena's `proto/`."),
        _PROTOBUF,
    ),
    Rule(
        "join-games",
        Text("Join names the games that the bot plays: at least one game of this arena, or `*` for every game."),
        Text("Join named no game of this arena."),
        Text("Fill Join.games with the names that `arena game list` shows, or with `*`."),
        _PROTOBUF,
    ),
    Rule(
        "join-once",
        Text("The bot sends Join once per stream."),
        Text("The bot sent Join again."),
        Text("Send Join once, when the stream opens; do not send it for every match."),
        _PROTOBUF,
    ),
    Rule(
        "one-stream",
        Text("The bot opens one stream for the lifetime of its process."),
        Text("The bot opened a second stream."),
        Text("Use the first stream for all matches; do not open another one, and do not retry the call."),
        _PROTOBUF,
    ),
    Rule(
        "waits-for-joined",
        Text("Between Join and Joined the bot sends nothing, however long that takes."),
        Text("The bot sent something before Joined arrived."),
        Text("Wait for the event Joined after sending Join."),
        _PROTOBUF,
    ),
    Rule(
        "tcp-address",
        Text("ARENA_ADDRESS may be `127.0.0.1:port` as well as `unix:/path`."),
        Text("The bot did not play when ARENA_ADDRESS was a TCP address."),
        Text("Pass ARENA_ADDRESS to gRPC unchanged; do not parse it."),
        _GRPC,
    ),
    Rule(
        "health-optional",
        Text("The bot also plays if the arena has no health service."),
        Text("The bot did not play without a health service."),
        Text("Do not call `grpc.health.v1.Health` before joining, or accept UNIMPLEMENTED as an answer."),
        _GRPC,
    ),
    Rule(
        "reads-joined",
        Text("The bot reads its first line, `joined`, within 10 s of its start."),
        Text("The bot did not read its first line in time."),
        Text("Begin to read standard input as soon as the program starts."),
        _LINES,
    ),
    Rule(
        "large-joined",
        Text("Joined may be 200 kB large and more, because it describes every game."),
        Text("The bot did not play after a large Joined."),
        Text("Read a message or a line completely, however long it is; do not use a buffer of fixed size."),
    ),
    Rule(
        "output",
        Text("The bot writes less than 64 MB to stdout and stderr together."),
        Text("The bot wrote too much to stdout and stderr."),
        Text("Log less."),
    ),
)

NEWER = (
    Rule(
        "refuses-major",
        Text(
            "When Joined states another major version, the bot reports this on stderr and exits with a status other "
            "than 0."
        ),
        Text("The bot did not refuse another major version."),
        Text(
            "Compare Joined.protocol_major with your own; if they differ, print both versions on stderr and exit with "
            "status 1."
        ),
        _PROTOBUF,
    ),
    Rule(
        "accepts-minor",
        Text("The bot accepts a higher minor version in Joined."),
        Text("The bot did not accept a higher minor version."),
        Text("Compare only the major version."),
    ),
    Rule(
        "ignores-events",
        Text("The bot ignores events that it does not know, whenever they arrive."),
        Text("The bot did not ignore an unknown event."),
        Text("Do nothing in the branch for events that you do not know."),
    ),
    Rule(
        "ignores-fields",
        Text("The bot ignores fields that it does not know, in every message."),
        Text("The bot did not ignore unknown fields."),
        Text("Read the fields that you know, and do not reject others."),
    ),
)


ANSWERING = (
    Rule(
        "act-answers",
        Text("The bot answers every Decide with Act or Resign."),
        Text("The bot did not answer a Decide."),
        Text("Send one Act for every Decide, and flush it."),
    ),
    Rule(
        FLUSHES,
        Text("The bot flushes standard output after each answer."),
        Text("The bot did not flush its answer."),
        Text("Flush standard output after each line, or set it to be flushed at the end of each."),
        _LINES,
    ),
    Rule(
        "stdout-answers",
        Text("Standard output carries answers and nothing else, each as one line of JSON."),
        Text("The bot wrote something to standard output that is no answer."),
        Text(
            "Write logs to standard error, and each answer as one line: an id, a notation in quotes, a list of both, "
            "or an object."
        ),
        _LINES,
    ),
    Rule(
        "act-once",
        Text("The bot answers each Decide once."),
        Text("The bot answered a Decide twice."),
        Text("Send one Act for each Decide; keep a better action that you find later for the next Decide."),
    ),
    Rule(
        "act-match-id",
        Text("Act repeats match_id of its Decide exactly, whatever text it is."),
        Text("Act named a different match than its Decide."),
        Text(
            "Copy match_id as text from the Decide; do not parse or shorten it, and do not reuse one from an earlier "
            "match."
        ),
    ),
    Rule(
        "act-ply",
        Text("Act repeats ply of its Decide."),
        Text("Act named a different ply than its Decide."),
        Text("Copy ply from the Decide; do not count decisions yourself, because forced plies cause no Decide."),
    ),
    Rule(
        "act-count",
        Text("Act contains 1 to 64 action ids."),
        Text("Act contained too few or too many ids."),
        Text("Put one id into Act.actions, or a sequence of at most 64."),
    ),
    Rule(
        "act-legal",
        Text("The first id is in legal_actions, and each further id is legal in the position in which it is played."),
        Text("Act contained an action that was not legal."),
        Text(
            "Choose an element of legal_actions itself, not its index, and send only one id unless you know what "
            "follows."
        ),
    ),
    Rule(
        "act-note",
        Text("A note has at most 1,000 characters."),
        Text("The note was too long."),
        Text("Cut Act.note to 1,000 characters."),
    ),
    Rule(
        "resign-match-id",
        Text("Resign names the match that is being played."),
        Text("Resign named a different match."),
        Text("Copy match_id from MatchStarted into Resign."),
    ),
    Rule(
        "well-formed",
        Text("Every message is a PlayRequest with one of its messages set."),
        Text("The bot sent bytes that are not a PlayRequest, or an empty PlayRequest."),
        Text("Write messages with generated code, and set one of join, act, resign or leave."),
        _PROTOBUF,
    ),
    Rule(
        "message-size",
        Text("No message is longer than 256 KiB."),
        Text("A message was too long."),
        Text("Send only ids and a short note."),
    ),
    Rule(
        "no-unasked",
        Text(
            "The bot sends nothing unless it is asked: nothing at MatchStarted, nothing at MatchFinished and nothing "
            "between matches."
        ),
        Text("The bot sent something without being asked."),
        Text("Write to the stream, or to standard output, only to answer a Decide."),
    ),
)

CLOCKS = (
    Rule(
        "little-time",
        Text("When little time is left, the bot answers within that time."),
        Text("The answer came too late."),
        Text("Think no longer than time_limit_us of the Decide, and reserve some of it for transmission."),
    ),
    Rule(
        "bank-clock",
        Text("The time for a decision may come from a time bank with an increment, and the bank shrinks."),
        Text("The bot did not answer a Decide with a time bank."),
        Text("Read time_limit_us of every Decide: it takes both the bank and the limit per decision into account."),
    ),
    Rule(
        "untimed",
        Text("time_limit_us 0 and bank_us 0 mean that there is no clock; the bot still answers."),
        Text("The bot did not answer a Decide without a clock."),
        Text("Treat 0 as no limit, and choose how long to think."),
    ),
)


MATCHES = (
    Rule(
        "several-matches",
        Text("One stream serves many matches, one after another; each of them starts from scratch."),
        Text("The bot did not play a later match on the same stream."),
        Text(
            "After MatchFinished, discard the state of the match and keep reading; exit when the arena ends the stream."
        ),
    ),
    Rule(
        "other-game",
        Text("The next match may be a match of another game that the bot joined for."),
        Text("The bot did not play a match of another game."),
        Text("Select everything that depends on the game by MatchStarted.game in every match, not once at the start."),
    ),
    Rule(
        "other-seats",
        Text("The next match may have a different number of seats, and a different seat for the bot."),
        Text("The bot did not play a match with a different number of seats."),
        Text("Read seat and seats again from every MatchStarted."),
    ),
    Rule(
        "whole-match",
        Text("The bot plays a whole match of each of its games, from the first decision to the regular end."),
        Text("The bot did not play a match to its end."),
        Text("Read the bot's stderr: it shows what the bot could not do at that ply."),
    ),
    Rule(
        "opening-events",
        Text("MatchStarted may contain events: those of an opening that has already been played."),
        Text("The bot did not play a match with an opening."),
        Text("Take the position from Decide.observation, or apply MatchStarted.events first."),
    ),
    Rule(
        "chance-events",
        Text("Events may contain chance outcomes of any kind, with any number of values."),
        Text("The bot failed on events with chance outcomes."),
        Text("Read Event.reveals or ignore it; the observation contains the effect of the outcomes."),
    ),
    Rule(
        "empty-events",
        Text("A Decide may come without events."),
        Text("The bot did not answer a Decide without events."),
        Text("Do not read the last event of an empty list."),
    ),
    Rule(
        "large-decide",
        Text("A Decide may be one megabyte large and may contain as many legal actions as the game has."),
        Text("The bot did not answer a large Decide."),
        Text("Keep gRPC's limit for received messages at 4 MB or more, and do not use a buffer of fixed size."),
    ),
    Rule(
        "dropped-actions",
        Text("A Decide may report that ids of the last Act were dropped."),
        Text("The bot did not answer a Decide with dropped_actions."),
        Text("If dropped_actions is set, plan again from this Decide."),
    ),
    Rule(
        "no-decision",
        Text("A match may end before the bot is asked for a decision."),
        Text("The bot failed on a match without a decision."),
        Text("When MatchFinished arrives, do not rely on anything that only a Decide sets up."),
    ),
    Rule(
        "finished-while-asked",
        Text("MatchFinished may arrive while the bot thinks; an Act that is already on its way is then no fault."),
        Text("The bot did not continue after a match that ended while it was thinking."),
        Text("Let MatchFinished end the match in every state, and send no further Act for it."),
    ),
    Rule(
        "own-faults",
        Text("MatchFinished may list faults of the bot itself, including causes that the bot does not know."),
        Text("The bot failed on faults in MatchFinished."),
        Text("Log MatchFinished.faults and keep reading; the arena ends the process itself."),
    ),
    Rule(
        "others-forfeit",
        Text("A match may end because others forfeited; by_rules is then false and details_json is empty."),
        Text("The bot failed on a match that others forfeited."),
        Text("Read details_json only if by_rules is set."),
    ),
    Rule(
        "resumed",
        Text(
            "A match may start in the middle: MatchStarted has resumed set and contains the whole history, and a "
            "Decide follows."
        ),
        Text("The bot did not continue a resumed match."),
        Text("Take the position from Decide.observation, or apply MatchStarted.events first."),
    ),
    Rule(
        "large-seed",
        Text("The seed may be any number up to 2^53 - 1."),
        Text("The bot did not play a match with a large seed."),
        Text("Read MatchStarted.seed as a 64-bit integer."),
    ),
    Rule(
        "unknown-options",
        Text("options_json may contain options that the bot does not know, with values of any type."),
        Text("The bot did not ignore unknown options."),
        Text("Read only the options that you know from options_json."),
    ),
)


ENDING = (
    Rule(
        "end-idle",
        Text(
            "When the stream or standard input ends between matches, the process exits by itself with status 0 within "
            "5 s."
        ),
        Text("The process did not exit correctly when its stream ended."),
        Text("Leave the loop when the stream or standard input ends, and exit with status 0."),
    ),
    Rule(
        "end-in-match",
        Text(
            "When the stream or standard input ends in the middle of a match, the process exits by itself within 5 s."
        ),
        Text("The process did not exit when its stream ended."),
        Text("Leave the loop when the stream or standard input ends, even in the middle of a match."),
    ),
    Rule(
        "arena-lost",
        Text("When the arena is gone and nobody reads an answer, the process exits by itself within 5 s."),
        Text("The process did not exit when the arena was gone."),
        Text("Treat an error while you read or write as the end; do not reconnect."),
    ),
    Rule(
        "token-refused",
        Text(
            "When the arena refuses the token, the bot writes the message to stderr and exits with a status "
            "other than 0."
        ),
        Text("The bot did not report that its token was refused."),
        Text("Print the code and the details of the stream's error on stderr, and exit with status 1."),
        _GRPC,
    ),
    Rule(
        "join-refused",
        Text(
            "When the arena refuses Join, by an error of the call or by ending the socket before Joined, the bot "
            "reports this on stderr, with the message of the error, and exits with a status other than 0."
        ),
        Text("The bot did not report that its Join was refused."),
        Text(
            "Print a line on stderr, with the code and the details of the error if there is one, and exit with status "
            "1."
        ),
        _PROTOBUF,
    ),
    Rule(
        "superseded",
        Text(
            "When an error ends the stream between matches, the bot writes the message to stderr and exits with a "
            "status other than 0."
        ),
        Text("The bot did not report an error of the stream between matches."),
        Text(
            "Print the code and the details of the stream's error on stderr, and exit with status 1; do not join again."
        ),
        _GRPC,
    ),
    Rule(
        "error-while-asked",
        Text(
            "When an error ends the stream while the bot thinks, the bot writes the message to stderr and exits with "
            "a status other than 0."
        ),
        Text("The bot did not report an error of the stream that came while it was thinking."),
        Text(
            "Before you write, check whether the stream has ended; if so, report the stream's status, not the failed "
            "write."
        ),
        _GRPC,
    ),
    Rule(
        "no-arena",
        Text(
            "When nobody listens at ARENA_ADDRESS, and ARENA_STREAM_FD names no open descriptor, the bot reports this "
            "on stderr and exits with a status other than 0 within 10 s."
        ),
        Text("The bot did not report that no arena answered."),
        Text(
            "Do not wait for the connection to become ready; print the error of the call, or of the descriptor, on "
            "stderr and exit with status 1."
        ),
        _PROTOBUF,
    ),
)


RULES: tuple[Rule, ...] = (*STARTING, *NEWER, *ANSWERING, *MATCHES, *CLOCKS, *ENDING)
BY_ID = {rule.id: rule for rule in RULES}


def rules_of(transport: Transport) -> tuple[Rule, ...]:
    """Return the rules for bots whose messages travel so."""
    return tuple(rule for rule in RULES if transport in rule.transports)
