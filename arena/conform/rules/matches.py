"""The rules of what a match may bring."""

from __future__ import annotations

from arena.conform.rules.rule import Rule
from engine.text import Text

MATCHES = (
    Rule(
        "several-matches",
        Text(
            "conform.one_stream_serves_many_matches",
            "One stream serves many matches, one after another, each begun afresh.",
        ),
        Text("conform.later_match_same_stream_not", "A later match on the same stream was not played."),
        Text(
            "conform.after_matchfinished_forget_match_go",
            "After MatchFinished forget the match and go on reading; leave when the arena ends the stream.",
        ),
    ),
    Rule(
        "other-game",
        Text("conform.next_match_may_another_game", "The next match may be of another game that the bot joined for."),
        Text("conform.match_another_game_not_played", "A match of another game was not played."),
        Text(
            "conform.choose_what_belongs_game_matchstarted",
            "Choose what belongs to a game by MatchStarted.game, not once at the start.",
        ),
    ),
    Rule(
        "other-seats",
        Text(
            "conform.next_match_may_another_number",
            "The next match may have another number of seats, and another seat for the bot.",
        ),
        Text("conform.match_another_number_seats_not", "A match with another number of seats was not played."),
        Text("conform.read_seat_seats_anew_every", "Read seat and seats anew from every MatchStarted."),
    ),
    Rule(
        "whole-match",
        Text(
            "conform.bot_plays_whole_match_each",
            "The bot plays a whole match of each of its games, from the first decision to the end by the rules.",
        ),
        Text("conform.match_not_played_end", "A match was not played to its end."),
        Text(
            "conform.look_stderr_bot_what_could",
            "Look at stderr of the bot: what it could not do at that ply is said there.",
        ),
    ),
    Rule(
        "opening-events",
        Text(
            "conform.matchstarted_may_hold_events_opening",
            "MatchStarted may hold events: an opening that was played before the bot was told.",
        ),
        Text("conform.match_opening_not_played", "A match with an opening was not played."),
        Text(
            "conform.take_position_decide_observation_apply",
            "Take the position from Decide.observation, or apply MatchStarted.events first.",
        ),
    ),
    Rule(
        "chance-events",
        Text(
            "conform.events_may_hold_outcomes_chance",
            "Events may hold outcomes of chance, of any kind and with any number of values.",
        ),
        Text("conform.events_outcomes_chance_were_not", "Events with outcomes of chance were not borne."),
        Text(
            "conform.read_event_reveals_leave_them",
            "Read Event.reveals, or leave them alone; the observation holds what they led to.",
        ),
    ),
    Rule(
        "empty-events",
        Text("conform.decide_may_come_without_events", "A Decide may come without events."),
        Text("conform.decide_without_events_not_answered", "A Decide without events was not answered."),
        Text("conform.do_not_take_last_event", "Do not take the last event of an empty list."),
    ),
    Rule(
        "large-decide",
        Text(
            "conform.decide_may_megabyte_large_hold",
            "A Decide may be a megabyte large and hold as many legal actions as the game has.",
        ),
        Text("conform.large_decide_not_answered", "A large Decide was not answered."),
        Text(
            "conform.leave_grpc_limit_received_messages",
            "Leave gRPC's limit of received messages at 4 MB or above, and use no buffer of a fixed size.",
        ),
    ),
    Rule(
        "dropped-actions",
        Text("conform.decide_may_say_ids_last", "A Decide may say that ids of the last Act were dropped."),
        Text("conform.decide_dropped_actions_not_answered", "A Decide with dropped_actions was not answered."),
        Text("conform.take_dropped_actions_news_plan", "Take dropped_actions as news: plan anew from this Decide."),
    ),
    Rule(
        "no-decision",
        Text("conform.match_may_end_before_bot", "A match may end before the bot was asked anything."),
        Text("conform.match_without_decision_not_borne", "A match without a decision was not borne."),
        Text("conform.keep_nothing_only_decide_sets", "Keep nothing that only a Decide sets up for MatchFinished."),
    ),
    Rule(
        "finished-while-asked",
        Text(
            "conform.matchfinished_may_come_instead_another",
            "MatchFinished may come instead of another question while the bot thinks; an Act on its way is no "
            "fault then.",
        ),
        Text("conform.bot_did_not_go_after", "The bot did not go on after a match that ended while it was asked."),
        Text(
            "conform.let_matchfinished_end_match_whatever",
            "Let MatchFinished end the match in whatever state it is; send no further Act for it.",
        ),
    ),
    Rule(
        "own-faults",
        Text(
            "conform.matchfinished_may_tell_faults_bot",
            "MatchFinished may tell faults of the bot itself, causes that it does not know among them.",
        ),
        Text("conform.faults_matchfinished_were_not_borne", "Faults in MatchFinished were not borne."),
        Text(
            "conform.log_matchfinished_faults_go_reading",
            "Log MatchFinished.faults and go on reading; the arena ends the process itself.",
        ),
    ),
    Rule(
        "others-forfeit",
        Text(
            "conform.match_may_end_because_others",
            "A match may end because others forfeited: by_rules is false, details_json empty.",
        ),
        Text("conform.match_others_forfeited_not_borne", "A match that others forfeited was not borne."),
        Text("conform.read_details_json_only_where", "Read details_json only where by_rules is set."),
    ),
    Rule(
        "resumed",
        Text(
            "conform.match_may_begin_middle_matchstarted",
            "A match may begin in its middle: MatchStarted.resumed with the whole history, then a Decide.",
        ),
        Text("conform.resumed_match_not_played", "A resumed match was not played on."),
        Text(
            "conform.take_position_decide_observation_apply",
            "Take the position from Decide.observation, or apply MatchStarted.events first.",
        ),
    ),
    Rule(
        "large-seed",
        Text("conform.seed_may_any_number_up", "The seed may be any number up to 2^53 - 1."),
        Text("conform.match_large_seed_not_played", "A match with a large seed was not played."),
        Text("conform.read_matchstarted_seed_64_bit", "Read MatchStarted.seed as a 64-bit integer."),
    ),
    Rule(
        "unknown-options",
        Text(
            "conform.options_json_may_hold_options",
            "options_json may hold options that the bot does not know, with values of any kind.",
        ),
        Text("conform.unknown_options_were_not_ignored", "Unknown options were not ignored."),
        Text("conform.pick_options_you_know_out", "Pick the options that you know out of options_json."),
    ),
)
