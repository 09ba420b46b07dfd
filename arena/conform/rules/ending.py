"""The rules of the end of a stream."""

from __future__ import annotations

from arena.conform.rules.rule import Rule
from engine.text import Text

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
