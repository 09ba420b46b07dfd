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
        return Text(
            "conform.seen_remedy",
            "{why} Seen: {what}. Remedy: {remedy}",
            why=self.broken,
            what=seen,
            remedy=self.remedy,
        )


STARTING = (
    Rule(
        "connects",
        Text(
            "conform.bot_opens_stream_arena_v1",
            "The bot opens a stream of `arena.v1.PlayService/Play` at ARENA_ADDRESS within 10 s of its start.",
        ),
        Text("conform.no_stream_came_time", "No stream came in time."),
        Text(
            "conform.connect_without_tls_target_arena",
            "Connect without TLS to the target in ARENA_ADDRESS and call Play at once.",
        ),
    ),
    Rule(
        "token",
        Text(
            "conform.call_carries_metadata_authorization_bearer",
            "The call carries the metadata `authorization: Bearer` with the text of ARENA_TOKEN.",
        ),
        Text("conform.call_did_not_carry_token", "The call did not carry the token."),
        Text(
            "conform.send_metadata_key_authorization_bearer",
            "Send the metadata key `authorization` with `Bearer `, a space included, and ARENA_TOKEN behind it.",
        ),
    ),
    Rule(
        "join-first",
        Text(
            "conform.first_message_join_comes_without",
            "The first message is Join, and comes without waiting for the arena.",
        ),
        Text("conform.first_message_not_join", "The first message was not Join."),
        Text(
            "conform.send_join_soon_stream_open",
            "Send Join as soon as the stream is open, before anything is read or sent.",
        ),
    ),
    Rule(
        "join-protocol",
        Text("conform.join_names_protocol_bot_speaks", "Join names the protocol that the bot speaks: major 1."),
        Text("conform.join_named_another_protocol", "Join named another protocol."),
        Text(
            "conform.set_protocol_major_protocol_minor",
            "Set protocol_major and protocol_minor of Join; generate the code from the arena's `proto/`.",
        ),
    ),
    Rule(
        "join-games",
        Text(
            "conform.join_names_games_bot_plays",
            "Join names the games that the bot plays, at least one that this arena has, or `*` for every game.",
        ),
        Text("conform.join_named_no_game_arena", "Join named no game of this arena."),
        Text(
            "conform.fill_join_games_names_arena",
            "Fill Join.games with the names that `arena game list` shows, or with `*`.",
        ),
    ),
    Rule(
        "join-once",
        Text("conform.join_sent_once_stream", "Join is sent once in a stream."),
        Text("conform.join_came_again", "Join came again."),
        Text(
            "conform.send_join_when_stream_opens",
            "Send Join when the stream opens and never afterwards, not for every match.",
        ),
    ),
    Rule(
        "one-stream",
        Text("conform.bot_opens_one_stream_life", "The bot opens one stream for the life of its process."),
        Text("conform.second_stream_opened", "A second stream was opened."),
        Text(
            "conform.keep_first_stream_all_matches",
            "Keep the first stream for all matches; do not open another one, and do not retry the call.",
        ),
    ),
    Rule(
        "waits-for-joined",
        Text(
            "conform.between_join_joined_bot_sends",
            "Between Join and Joined the bot sends nothing, however long that takes.",
        ),
        Text("conform.something_sent_before_joined_came", "Something was sent before Joined came."),
        Text("conform.wait_event_joined_after_sending", "Wait for the event Joined after sending Join."),
    ),
    Rule(
        "tcp-address",
        Text("conform.arena_address_may_127_0", "ARENA_ADDRESS may be `127.0.0.1:port` as well as `unix:/path`."),
        Text("conform.bot_did_not_play_address", "The bot did not play at an address of TCP."),
        Text("conform.hand_arena_address_grpc_do", "Hand ARENA_ADDRESS to gRPC as it is; do not take it apart."),
    ),
    Rule(
        "health-optional",
        Text("conform.bot_plays_where_no_health", "The bot plays where no health service is served."),
        Text("conform.bot_did_not_play_without", "The bot did not play without a health service."),
        Text(
            "conform.do_not_ask_grpc_health",
            "Do not ask `grpc.health.v1.Health` before joining, or take UNIMPLEMENTED for an answer.",
        ),
    ),
    Rule(
        "output",
        Text("conform.bot_writes_less_than_64", "The bot writes less than 64 MB to stdout and stderr together."),
        Text("conform.too_much_written_stdout_stderr", "Too much was written to stdout and stderr."),
        Text("conform.log_less_protocol_needs_nothing", "Log less; the protocol needs nothing on stdout."),
    ),
)

NEWER = (
    Rule(
        "refuses-major",
        Text(
            "conform.when_joined_names_another_major",
            "When Joined names another major version, the bot says so on stderr and exits with a status other than 0.",
        ),
        Text("conform.another_major_version_not_refused", "Another major version was not refused."),
        Text(
            "conform.compare_joined_protocol_major_your",
            "Compare Joined.protocol_major with your own; name both versions on stderr and exit with 1.",
        ),
    ),
    Rule(
        "accepts-minor",
        Text("conform.higher_minor_version_joined_accepted", "A higher minor version in Joined is accepted."),
        Text("conform.higher_minor_version_not_accepted", "A higher minor version was not accepted."),
        Text("conform.compare_major_version_alone", "Compare the major version alone."),
    ),
    Rule(
        "ignores-events",
        Text("conform.event_bot_does_not_know", "An event that the bot does not know is ignored, whenever it comes."),
        Text("conform.unknown_event_not_ignored", "An unknown event was not ignored."),
        Text(
            "conform.let_default_branch_over_kinds", "Let the default branch over the kinds of PlayResponse do nothing."
        ),
    ),
    Rule(
        "ignores-fields",
        Text("conform.fields_bot_does_not_know", "Fields that the bot does not know are ignored in every message."),
        Text("conform.unknown_fields_were_not_ignored", "Unknown fields were not ignored."),
        Text(
            "conform.read_messages_generated_code_do",
            "Read messages with generated code and do not reject unknown fields.",
        ),
    ),
)


ANSWERING = (
    Rule(
        "act-answers",
        Text("conform.every_decide_answered_act_resign", "Every Decide is answered by Act, or by Resign."),
        Text("conform.decide_not_answered", "A Decide was not answered."),
        Text("conform.send_one_act_every_decide", "Send one Act for every Decide, and flush it."),
    ),
    Rule(
        "act-once",
        Text("conform.decide_answered_once", "A Decide is answered once."),
        Text("conform.decide_answered_twice", "A Decide was answered twice."),
        Text(
            "conform.send_one_act_each_decide",
            "Send one Act for each Decide; later thoughts are kept for the next one.",
        ),
    ),
    Rule(
        "act-match-id",
        Text(
            "conform.act_repeats_match_id_decide",
            "Act repeats match_id of its Decide letter by letter, whatever text that is.",
        ),
        Text("conform.act_named_another_match_than", "Act named another match than its Decide."),
        Text(
            "conform.copy_match_id_text_decide",
            "Copy match_id as a text from the Decide; do not parse, shorten or keep it from an earlier match.",
        ),
    ),
    Rule(
        "act-ply",
        Text("conform.act_repeats_ply_decide", "Act repeats ply of its Decide."),
        Text("conform.act_named_another_ply_than", "Act named another ply than its Decide."),
        Text(
            "conform.copy_ply_decide_do_not",
            "Copy ply from the Decide; do not count decisions, since forced plies are not asked.",
        ),
    ),
    Rule(
        "act-count",
        Text("conform.act_holds_1_64_action", "Act holds 1 to 64 action ids."),
        Text("conform.act_held_too_few_too", "Act held too few or too many ids."),
        Text("conform.put_one_id_into_act", "Put one id into Act.actions, or a line of at most 64."),
    ),
    Rule(
        "act-legal",
        Text(
            "conform.first_id_one_legal_actions",
            "The first id is one of legal_actions, and so is every further one in the position that it comes to.",
        ),
        Text("conform.act_held_action_not_legal", "Act held an action that was not legal."),
        Text(
            "conform.choose_element_legal_actions_itself",
            "Choose an element of legal_actions itself, not its index, and send one id unless you know what follows.",
        ),
    ),
    Rule(
        "act-note",
        Text("conform.note_most_1_000_characters", "A note has at most 1,000 characters."),
        Text("conform.note_too_long", "The note was too long."),
        Text("conform.cut_act_note_1_000", "Cut Act.note to 1,000 characters."),
    ),
    Rule(
        "resign-match-id",
        Text("conform.resign_names_match_being_played", "Resign names the match that is being played."),
        Text("conform.resign_named_another_match", "Resign named another match."),
        Text("conform.copy_match_id_matchstarted_into", "Copy match_id from MatchStarted into Resign."),
    ),
    Rule(
        "well-formed",
        Text(
            "conform.every_message_playrequest_one_messages",
            "Every message is a PlayRequest with one of its messages set.",
        ),
        Text("conform.bytes_came_no_playrequest_empty", "Bytes came that are no PlayRequest, or an empty one."),
        Text(
            "conform.write_messages_generated_code_set",
            "Write messages with generated code, and set one of join, act, resign and leave.",
        ),
    ),
    Rule(
        "message-size",
        Text("conform.no_message_longer_than_256", "No message is longer than 256 KiB."),
        Text("conform.message_too_long", "A message was too long."),
        Text("conform.send_ids_short_note_nothing", "Send ids and a short note, nothing else."),
    ),
    Rule(
        "no-unasked",
        Text(
            "conform.bot_sends_nothing_while_not",
            "The bot sends nothing while it is not asked: not at MatchStarted, not at MatchFinished, not between "
            "matches.",
        ),
        Text("conform.something_sent_nobody_asked", "Something was sent that nobody asked for."),
        Text("conform.write_stream_only_answer_decide", "Write to the stream only as the answer to a Decide."),
    ),
)

CLOCKS = (
    Rule(
        "little-time",
        Text("conform.little_time_left_bot_answers", "With little time left the bot answers within it."),
        Text("conform.answer_came_too_late", "The answer came too late."),
        Text(
            "conform.think_no_longer_than_time",
            "Think no longer than time_limit_us of the Decide, and keep some of it for the way.",
        ),
    ),
    Rule(
        "bank-clock",
        Text(
            "conform.time_decision_may_come_bank",
            "The time of a decision may come from a bank with an increment, which shrinks.",
        ),
        Text("conform.decide_bank_not_answered", "A Decide with a bank was not answered."),
        Text("conform.read_time_limit_us_every", "Read time_limit_us of every Decide: bank and limit are both in it."),
    ),
    Rule(
        "untimed",
        Text(
            "conform.time_limit_us_0_bank",
            "time_limit_us 0 and bank_us 0 mean that there is no clock; the bot answers all the same.",
        ),
        Text("conform.decide_without_clock_not_answered", "A Decide without a clock was not answered."),
        Text("conform.take_0_no_limit_think", "Take 0 as no limit, and think for a time of your own choice."),
    ),
)


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


ENDING = (
    Rule(
        "end-idle",
        Text(
            "conform.when_arena_ends_stream_between",
            "When the arena ends the stream between matches, the process exits by itself with status 0 within 5 s.",
        ),
        Text("conform.process_did_not_end_good", "The process did not end in good order with its stream."),
        Text(
            "conform.leave_loop_when_stream_ends",
            "Leave the loop when the stream ends with OK, close the channel and exit with 0.",
        ),
    ),
    Rule(
        "end-in-match",
        Text(
            "conform.when_arena_ends_stream_middle",
            "When the arena ends the stream in the middle of a match, the process exits by itself within 5 s.",
        ),
        Text("conform.process_did_not_end_stream", "The process did not end with its stream."),
        Text("conform.leave_loop_when_stream_ends_match", "Leave the loop when the stream ends, in a match as well."),
    ),
    Rule(
        "arena-lost",
        Text(
            "conform.when_connection_lost_process_exits",
            "When the connection is lost, the process exits by itself within 5 s.",
        ),
        Text("conform.process_outlived_arena", "The process outlived the arena."),
        Text("conform.take_error_stream_end_do", "Take an error of the stream as its end; do not connect again."),
    ),
    Rule(
        "token-refused",
        Text(
            "conform.when_arena_refuses_token_bot",
            "When the arena refuses the token, the bot writes the message to stderr and exits with a status "
            "other than 0.",
        ),
        Text("conform.refusal_token_not_reported", "The refusal of the token was not reported."),
        Text(
            "conform.print_code_details_error_stream",
            "Print code and details of the error of the stream on stderr, and exit with 1.",
        ),
    ),
    Rule(
        "join-refused",
        Text(
            "conform.when_join_answered_error_bot",
            "When Join is answered by an error, the bot writes the message to stderr and exits with a status "
            "other than 0.",
        ),
        Text("conform.refusal_join_not_reported", "The refusal of Join was not reported."),
        Text(
            "conform.print_code_details_error_stream",
            "Print code and details of the error of the stream on stderr, and exit with 1.",
        ),
    ),
    Rule(
        "superseded",
        Text(
            "conform.error_between_matches_ends_bot",
            "An error between matches ends the bot too: the message on stderr, a status other than 0.",
        ),
        Text("conform.error_stream_between_matches_not", "An error of the stream between matches was not reported."),
        Text(
            "conform.print_code_details_error_stream_stderr",
            "Print code and details of the error of the stream on stderr, and exit with 1; do not join again.",
        ),
    ),
    Rule(
        "error-while-asked",
        Text(
            "conform.error_ends_stream_while_bot",
            "An error that ends the stream while the bot thinks ends it too: the message on stderr, a status "
            "other than 0.",
        ),
        Text(
            "conform.error_stream_not_reported_came",
            "An error of the stream was not reported that came while the bot was asked.",
        ),
        Text(
            "conform.look_before_you_write_whether",
            "Look before you write whether the stream has ended; if so, report its status, not the failed write.",
        ),
    ),
    Rule(
        "no-arena",
        Text(
            "conform.where_no_arena_answers_bot",
            "Where no arena answers, the bot says so on stderr and exits with a status other than 0 within 10 s.",
        ),
        Text("conform.arena_not_not_reported", "An arena that is not there was not reported."),
        Text(
            "conform.do_not_wait_connection_become",
            "Do not wait for the connection to become ready; print the error of the call and exit with 1.",
        ),
    ),
)


RULES: tuple[Rule, ...] = (*STARTING, *NEWER, *ANSWERING, *MATCHES, *CLOCKS, *ENDING)
BY_ID = {rule.id: rule for rule in RULES}
