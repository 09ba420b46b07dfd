"""The rules of answers, of matches and of their clocks."""

from __future__ import annotations

from arena.conform.rules.rule import Rule

ANSWERING = (
    Rule(
        "act-answers",
        "Every Decide is answered by Act, or by Resign.",
        "A Decide was not answered.",
        "Send one Act for every Decide, and flush it.",
    ),
    Rule(
        "act-once",
        "A Decide is answered once.",
        "A Decide was answered twice.",
        "Send one Act for each Decide; later thoughts are kept for the next one.",
    ),
    Rule(
        "act-match-id",
        "Act repeats match_id of its Decide letter by letter, whatever text that is.",
        "Act named another match than its Decide.",
        "Copy match_id as a text from the Decide; do not parse, shorten or keep it from an earlier match.",
    ),
    Rule(
        "act-ply",
        "Act repeats ply of its Decide.",
        "Act named another ply than its Decide.",
        "Copy ply from the Decide; do not count decisions, since forced plies are not asked.",
    ),
    Rule(
        "act-count",
        "Act holds 1 to 64 action ids.",
        "Act held too few or too many ids.",
        "Put one id into Act.actions, or a line of at most 64.",
    ),
    Rule(
        "act-legal",
        "The first id is one of legal_actions, and so is every further one in the position that it comes to.",
        "Act held an action that was not legal.",
        "Choose an element of legal_actions itself, not its index, and send one id unless you know what follows.",
    ),
    Rule(
        "act-note",
        "A note has at most 1,000 characters.",
        "The note was too long.",
        "Cut Act.note to 1,000 characters.",
    ),
    Rule(
        "resign-match-id",
        "Resign names the match that is being played.",
        "Resign named another match.",
        "Copy match_id from MatchStarted into Resign.",
    ),
    Rule(
        "well-formed",
        "Every message is a PlayRequest with one of its messages set.",
        "Bytes came that are no PlayRequest, or an empty one.",
        "Write messages with generated code, and set one of join, act, resign and leave.",
    ),
    Rule(
        "message-size",
        "No message is longer than 256 KiB.",
        "A message was too long.",
        "Send ids and a short note, nothing else.",
    ),
    Rule(
        "no-unasked",
        "The bot sends nothing while it is not asked: not at MatchStarted, not at MatchFinished, not between matches.",
        "Something was sent that nobody asked for.",
        "Write to the stream only as the answer to a Decide.",
    ),
)

CLOCKS = (
    Rule(
        "little-time",
        "With little time left the bot answers within it.",
        "The answer came too late.",
        "Think no longer than time_limit_us of the Decide, and keep some of it for the way.",
    ),
    Rule(
        "bank-clock",
        "The time of a decision may come from a bank with an increment, which shrinks.",
        "A Decide with a bank was not answered.",
        "Read time_limit_us of every Decide: bank and limit are both in it.",
    ),
    Rule(
        "untimed",
        "time_limit_us 0 and bank_us 0 mean that there is no clock; the bot answers all the same.",
        "A Decide without a clock was not answered.",
        "Take 0 as no limit, and think for a time of your own choice.",
    ),
)
