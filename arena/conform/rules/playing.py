"""The rules of answers, of matches and of their clocks."""

from __future__ import annotations

from arena.conform.rules.rule import Rule
from engine.text import Text

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
