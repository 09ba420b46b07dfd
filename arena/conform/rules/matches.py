"""The rules of what a match may bring."""

from __future__ import annotations

from arena.conform.rules.rule import Rule

MATCHES = (
    Rule(
        "several-matches",
        "One stream serves many matches, one after another, each begun afresh.",
        "A later match on the same stream was not played.",
        "After MatchFinished forget the match and go on reading; leave when the arena ends the stream.",
    ),
    Rule(
        "other-game",
        "The next match may be of another game that the bot joined for.",
        "A match of another game was not played.",
        "Choose what belongs to a game by MatchStarted.game, not once at the start.",
    ),
    Rule(
        "other-seats",
        "The next match may have another number of seats, and another seat for the bot.",
        "A match with another number of seats was not played.",
        "Read seat and seats anew from every MatchStarted.",
    ),
    Rule(
        "whole-match",
        "The bot plays a whole match of each of its games, from the first decision to the end by the rules.",
        "A match was not played to its end.",
        "Look at stderr of the bot: what it could not do at that ply is said there.",
    ),
    Rule(
        "opening-events",
        "MatchStarted may hold events: an opening that was played before the bot was told.",
        "A match with an opening was not played.",
        "Take the position from Decide.observation, or apply MatchStarted.events first.",
    ),
    Rule(
        "chance-events",
        "Events may hold outcomes of chance, of any kind and with any number of values.",
        "Events with outcomes of chance were not borne.",
        "Read Event.reveals, or leave them alone; the observation holds what they led to.",
    ),
    Rule(
        "empty-events",
        "A Decide may come without events.",
        "A Decide without events was not answered.",
        "Do not take the last event of an empty list.",
    ),
    Rule(
        "large-decide",
        "A Decide may be a megabyte large and hold as many legal actions as the game has.",
        "A large Decide was not answered.",
        "Leave gRPC's limit of received messages at 4 MB or above, and use no buffer of a fixed size.",
    ),
    Rule(
        "dropped-actions",
        "A Decide may say that ids of the last Act were dropped.",
        "A Decide with dropped_actions was not answered.",
        "Take dropped_actions as news: plan anew from this Decide.",
    ),
    Rule(
        "no-decision",
        "A match may end before the bot was asked anything.",
        "A match without a decision was not borne.",
        "Keep nothing that only a Decide sets up for MatchFinished.",
    ),
    Rule(
        "finished-while-asked",
        "MatchFinished may come instead of another question while the bot thinks; an Act on its way is no fault then.",
        "The bot did not go on after a match that ended while it was asked.",
        "Let MatchFinished end the match in whatever state it is; send no further Act for it.",
    ),
    Rule(
        "own-faults",
        "MatchFinished may tell faults of the bot itself, causes that it does not know among them.",
        "Faults in MatchFinished were not borne.",
        "Log MatchFinished.faults and go on reading; the arena ends the process itself.",
    ),
    Rule(
        "others-forfeit",
        "A match may end because others forfeited: by_rules is false, details_json empty.",
        "A match that others forfeited was not borne.",
        "Read details_json only where by_rules is set.",
    ),
    Rule(
        "resumed",
        "A match may begin in its middle: MatchStarted.resumed with the whole history, then a Decide.",
        "A resumed match was not played on.",
        "Take the position from Decide.observation, or apply MatchStarted.events first.",
    ),
    Rule(
        "large-seed",
        "The seed may be any number up to 2^53 - 1.",
        "A match with a large seed was not played.",
        "Read MatchStarted.seed as a 64-bit integer.",
    ),
    Rule(
        "unknown-options",
        "options_json may hold options that the bot does not know, with values of any kind.",
        "Unknown options were not ignored.",
        "Pick the options that you know out of options_json.",
    ),
)
