"""The rules of the protocol, in the order in which they are checked, with what an author is told where one is broken.

Values only. docs/protocol.md shows the same table; a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Text


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the protocol."""

    id: str
    """What stands on the command line and in every message."""
    statement: str
    """What a bot does that keeps it, in one sentence."""
    broken: str
    """What a bot did that broke it, in one sentence; what was seen follows."""
    remedy: str
    """What its author does about it, in one sentence."""

    def message(self, seen: str) -> str:
        """Return what the author is told when the rule was broken; `seen` is a sentence without its full stop."""
        return Text("{why} Seen: {what}. Remedy: {remedy}", why=self.broken, what=seen, remedy=self.remedy)


STARTING = (
    Rule(
        "connects",
        Text("The bot opens a stream of `arena.v1.PlayService/Play` at ARENA_ADDRESS within 10 s of its start."),
        Text("No stream came in time."),
        Text("Connect without TLS to the target in ARENA_ADDRESS and call Play at once."),
    ),
    Rule(
        "token",
        Text("The call carries the metadata `authorization: Bearer` with the text of ARENA_TOKEN."),
        Text("The call did not carry the token."),
        Text("Send the metadata key `authorization` with `Bearer `, a space included, and ARENA_TOKEN behind it."),
    ),
    Rule(
        "join-first",
        Text("The first message is Join, and comes without waiting for the arena."),
        Text("The first message was not Join."),
        Text("Send Join as soon as the stream is open, before anything is read or sent."),
    ),
    Rule(
        "join-protocol",
        Text("Join names the protocol that the bot speaks: major 1."),
        Text("Join named another protocol."),
        Text("Set protocol_major and protocol_minor of Join; generate the code from the arena's `proto/`."),
    ),
    Rule(
        "join-games",
        Text("Join names the games that the bot plays, at least one that this arena has, or `*` for every game."),
        Text("Join named no game of this arena."),
        Text("Fill Join.games with the names that `arena game list` shows, or with `*`."),
    ),
    Rule(
        "join-once",
        Text("Join is sent once in a stream."),
        Text("Join came again."),
        Text("Send Join when the stream opens and never afterwards, not for every match."),
    ),
    Rule(
        "one-stream",
        Text("The bot opens one stream for the life of its process."),
        Text("A second stream was opened."),
        Text("Keep the first stream for all matches; do not open another one, and do not retry the call."),
    ),
    Rule(
        "waits-for-joined",
        Text("Between Join and Joined the bot sends nothing, however long that takes."),
        Text("Something was sent before Joined came."),
        Text("Wait for the event Joined after sending Join."),
    ),
    Rule(
        "tcp-address",
        Text("ARENA_ADDRESS may be `127.0.0.1:port` as well as `unix:/path`."),
        Text("The bot did not play at an address of TCP."),
        Text("Hand ARENA_ADDRESS to gRPC as it is; do not take it apart."),
    ),
    Rule(
        "health-optional",
        Text("The bot plays where no health service is served."),
        Text("The bot did not play without a health service."),
        Text("Do not ask `grpc.health.v1.Health` before joining, or take UNIMPLEMENTED for an answer."),
    ),
    Rule(
        "output",
        Text("The bot writes less than 64 MB to stdout and stderr together."),
        Text("Too much was written to stdout and stderr."),
        Text("Log less; the protocol needs nothing on stdout."),
    ),
)

NEWER = (
    Rule(
        "refuses-major",
        Text(
            "When Joined names another major version, the bot says so on stderr and exits with a status other than 0."
        ),
        Text("Another major version was not refused."),
        Text("Compare Joined.protocol_major with your own; name both versions on stderr and exit with 1."),
    ),
    Rule(
        "accepts-minor",
        Text("A higher minor version in Joined is accepted."),
        Text("A higher minor version was not accepted."),
        Text("Compare the major version alone."),
    ),
    Rule(
        "ignores-events",
        Text("An event that the bot does not know is ignored, whenever it comes."),
        Text("An unknown event was not ignored."),
        Text("Let the default branch over the kinds of PlayResponse do nothing."),
    ),
    Rule(
        "ignores-fields",
        Text("Fields that the bot does not know are ignored in every message."),
        Text("Unknown fields were not ignored."),
        Text("Read messages with generated code and do not reject unknown fields."),
    ),
)


ANSWERING = (
    Rule(
        "act-answers",
        Text("Every Decide is answered by Act, or by Resign."),
        Text("A Decide was not answered."),
        Text("Send one Act for every Decide, and flush it."),
    ),
    Rule(
        "act-once",
        Text("A Decide is answered once."),
        Text("A Decide was answered twice."),
        Text("Send one Act for each Decide; later thoughts are kept for the next one."),
    ),
    Rule(
        "act-match-id",
        Text("Act repeats match_id of its Decide letter by letter, whatever text that is."),
        Text("Act named another match than its Decide."),
        Text("Copy match_id as a text from the Decide; do not parse, shorten or keep it from an earlier match."),
    ),
    Rule(
        "act-ply",
        Text("Act repeats ply of its Decide."),
        Text("Act named another ply than its Decide."),
        Text("Copy ply from the Decide; do not count decisions, since forced plies are not asked."),
    ),
    Rule(
        "act-count",
        Text("Act holds 1 to 64 action ids."),
        Text("Act held too few or too many ids."),
        Text("Put one id into Act.actions, or a line of at most 64."),
    ),
    Rule(
        "act-legal",
        Text("The first id is one of legal_actions, and so is every further one in the position that it comes to."),
        Text("Act held an action that was not legal."),
        Text("Choose an element of legal_actions itself, not its index, and send one id unless you know what follows."),
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
        Text("Resign named another match."),
        Text("Copy match_id from MatchStarted into Resign."),
    ),
    Rule(
        "well-formed",
        Text("Every message is a PlayRequest with one of its messages set."),
        Text("Bytes came that are no PlayRequest, or an empty one."),
        Text("Write messages with generated code, and set one of join, act, resign and leave."),
    ),
    Rule(
        "message-size",
        Text("No message is longer than 256 KiB."),
        Text("A message was too long."),
        Text("Send ids and a short note, nothing else."),
    ),
    Rule(
        "no-unasked",
        Text(
            "The bot sends nothing while it is not asked: not at MatchStarted, not at MatchFinished, not between "
            "matches."
        ),
        Text("Something was sent that nobody asked for."),
        Text("Write to the stream only as the answer to a Decide."),
    ),
)

CLOCKS = (
    Rule(
        "little-time",
        Text("With little time left the bot answers within it."),
        Text("The answer came too late."),
        Text("Think no longer than time_limit_us of the Decide, and keep some of it for the way."),
    ),
    Rule(
        "bank-clock",
        Text("The time of a decision may come from a bank with an increment, which shrinks."),
        Text("A Decide with a bank was not answered."),
        Text("Read time_limit_us of every Decide: bank and limit are both in it."),
    ),
    Rule(
        "untimed",
        Text("time_limit_us 0 and bank_us 0 mean that there is no clock; the bot answers all the same."),
        Text("A Decide without a clock was not answered."),
        Text("Take 0 as no limit, and think for a time of your own choice."),
    ),
)


MATCHES = (
    Rule(
        "several-matches",
        Text("One stream serves many matches, one after another, each begun afresh."),
        Text("A later match on the same stream was not played."),
        Text("After MatchFinished forget the match and go on reading; leave when the arena ends the stream."),
    ),
    Rule(
        "other-game",
        Text("The next match may be of another game that the bot joined for."),
        Text("A match of another game was not played."),
        Text("Choose what belongs to a game by MatchStarted.game, not once at the start."),
    ),
    Rule(
        "other-seats",
        Text("The next match may have another number of seats, and another seat for the bot."),
        Text("A match with another number of seats was not played."),
        Text("Read seat and seats anew from every MatchStarted."),
    ),
    Rule(
        "whole-match",
        Text("The bot plays a whole match of each of its games, from the first decision to the end by the rules."),
        Text("A match was not played to its end."),
        Text("Look at stderr of the bot: what it could not do at that ply is said there."),
    ),
    Rule(
        "opening-events",
        Text("MatchStarted may hold events: an opening that was played before the bot was told."),
        Text("A match with an opening was not played."),
        Text("Take the position from Decide.observation, or apply MatchStarted.events first."),
    ),
    Rule(
        "chance-events",
        Text("Events may hold outcomes of chance, of any kind and with any number of values."),
        Text("Events with outcomes of chance were not borne."),
        Text("Read Event.reveals, or leave them alone; the observation holds what they led to."),
    ),
    Rule(
        "empty-events",
        Text("A Decide may come without events."),
        Text("A Decide without events was not answered."),
        Text("Do not take the last event of an empty list."),
    ),
    Rule(
        "large-decide",
        Text("A Decide may be a megabyte large and hold as many legal actions as the game has."),
        Text("A large Decide was not answered."),
        Text("Leave gRPC's limit of received messages at 4 MB or above, and use no buffer of a fixed size."),
    ),
    Rule(
        "dropped-actions",
        Text("A Decide may say that ids of the last Act were dropped."),
        Text("A Decide with dropped_actions was not answered."),
        Text("Take dropped_actions as news: plan anew from this Decide."),
    ),
    Rule(
        "no-decision",
        Text("A match may end before the bot was asked anything."),
        Text("A match without a decision was not borne."),
        Text("Keep nothing that only a Decide sets up for MatchFinished."),
    ),
    Rule(
        "finished-while-asked",
        Text(
            "MatchFinished may come instead of another question while the bot thinks; an Act on its way is no "
            "fault then."
        ),
        Text("The bot did not go on after a match that ended while it was asked."),
        Text("Let MatchFinished end the match in whatever state it is; send no further Act for it."),
    ),
    Rule(
        "own-faults",
        Text("MatchFinished may tell faults of the bot itself, causes that it does not know among them."),
        Text("Faults in MatchFinished were not borne."),
        Text("Log MatchFinished.faults and go on reading; the arena ends the process itself."),
    ),
    Rule(
        "others-forfeit",
        Text("A match may end because others forfeited: by_rules is false, details_json empty."),
        Text("A match that others forfeited was not borne."),
        Text("Read details_json only where by_rules is set."),
    ),
    Rule(
        "resumed",
        Text("A match may begin in its middle: MatchStarted.resumed with the whole history, then a Decide."),
        Text("A resumed match was not played on."),
        Text("Take the position from Decide.observation, or apply MatchStarted.events first."),
    ),
    Rule(
        "large-seed",
        Text("The seed may be any number up to 2^53 - 1."),
        Text("A match with a large seed was not played."),
        Text("Read MatchStarted.seed as a 64-bit integer."),
    ),
    Rule(
        "unknown-options",
        Text("options_json may hold options that the bot does not know, with values of any kind."),
        Text("Unknown options were not ignored."),
        Text("Pick the options that you know out of options_json."),
    ),
)


ENDING = (
    Rule(
        "end-idle",
        Text("When the arena ends the stream between matches, the process exits by itself with status 0 within 5 s."),
        Text("The process did not end in good order with its stream."),
        Text("Leave the loop when the stream ends with OK, close the channel and exit with 0."),
    ),
    Rule(
        "end-in-match",
        Text("When the arena ends the stream in the middle of a match, the process exits by itself within 5 s."),
        Text("The process did not end with its stream."),
        Text("Leave the loop when the stream ends, in a match as well."),
    ),
    Rule(
        "arena-lost",
        Text("When the connection is lost, the process exits by itself within 5 s."),
        Text("The process outlived the arena."),
        Text("Take an error of the stream as its end; do not connect again."),
    ),
    Rule(
        "token-refused",
        Text(
            "When the arena refuses the token, the bot writes the message to stderr and exits with a status "
            "other than 0."
        ),
        Text("The refusal of the token was not reported."),
        Text("Print code and details of the error of the stream on stderr, and exit with 1."),
    ),
    Rule(
        "join-refused",
        Text(
            "When Join is answered by an error, the bot writes the message to stderr and exits with a status "
            "other than 0."
        ),
        Text("The refusal of Join was not reported."),
        Text("Print code and details of the error of the stream on stderr, and exit with 1."),
    ),
    Rule(
        "superseded",
        Text("An error between matches ends the bot too: the message on stderr, a status other than 0."),
        Text("An error of the stream between matches was not reported."),
        Text("Print code and details of the error of the stream on stderr, and exit with 1; do not join again."),
    ),
    Rule(
        "error-while-asked",
        Text(
            "An error that ends the stream while the bot thinks ends it too: the message on stderr, a status "
            "other than 0."
        ),
        Text("An error of the stream was not reported that came while the bot was asked."),
        Text("Look before you write whether the stream has ended; if so, report its status, not the failed write."),
    ),
    Rule(
        "no-arena",
        Text("Where no arena answers, the bot says so on stderr and exits with a status other than 0 within 10 s."),
        Text("An arena that is not there was not reported."),
        Text("Do not wait for the connection to become ready; print the error of the call and exit with 1."),
    ),
)


RULES: tuple[Rule, ...] = (*STARTING, *NEWER, *ANSWERING, *MATCHES, *CLOCKS, *ENDING)
BY_ID = {rule.id: rule for rule in RULES}
