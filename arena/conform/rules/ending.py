"""The rules of the end of a stream."""

from __future__ import annotations

from arena.conform.rules.rule import Rule

ENDING = (
    Rule(
        "end-idle",
        "When the arena ends the stream between matches, the process exits by itself with status 0 within 5 s.",
        "The process did not end in good order with its stream.",
        "Leave the loop when the stream ends with OK, close the channel and exit with 0.",
    ),
    Rule(
        "end-in-match",
        "When the arena ends the stream in the middle of a match, the process exits by itself within 5 s.",
        "The process did not end with its stream.",
        "Leave the loop when the stream ends, in a match as well.",
    ),
    Rule(
        "arena-lost",
        "When the connection is lost, the process exits by itself within 5 s.",
        "The process outlived the arena.",
        "Take an error of the stream as its end; do not connect again.",
    ),
    Rule(
        "token-refused",
        "When the arena refuses the token, the bot writes the message to stderr and exits with a status other than 0.",
        "The refusal of the token was not reported.",
        "Print code and details of the error of the stream on stderr, and exit with 1.",
    ),
    Rule(
        "join-refused",
        "When Join is answered by an error, the bot writes the message to stderr and exits with a status other than 0.",
        "The refusal of Join was not reported.",
        "Print code and details of the error of the stream on stderr, and exit with 1.",
    ),
    Rule(
        "superseded",
        "An error between matches ends the bot too: the message on stderr, a status other than 0.",
        "An error of the stream between matches was not reported.",
        "Print code and details of the error of the stream on stderr, and exit with 1; do not join again.",
    ),
    Rule(
        "error-while-asked",
        "An error that ends the stream while the bot thinks ends it too: the message on stderr, a status other than 0.",
        "An error of the stream was not reported that came while the bot was asked.",
        "Look before you write whether the stream has ended; if so, report its status, not the failed write.",
    ),
    Rule(
        "no-arena",
        "Where no arena answers, the bot says so on stderr and exits with a status other than 0 within 10 s.",
        "An arena that is not there was not reported.",
        "Do not wait for the connection to become ready; print the error of the call and exit with 1.",
    ),
)
