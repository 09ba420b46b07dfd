"""The rules of the beginning of a stream, and of what is newer than the bot."""

from __future__ import annotations

from arena.conform.rules.rule import Rule

STARTING = (
    Rule(
        "connects",
        "The bot opens a stream of `arena.v1.PlayService/Play` at ARENA_ADDRESS within 10 s of its start.",
        "No stream came in time.",
        "Connect without TLS to the target in ARENA_ADDRESS and call Play at once.",
    ),
    Rule(
        "token",
        "The call carries the metadata `authorization: Bearer` with the text of ARENA_TOKEN.",
        "The call did not carry the token.",
        "Send the metadata key `authorization` with `Bearer `, a space included, and ARENA_TOKEN behind it.",
    ),
    Rule(
        "join-first",
        "The first message is Join, and comes without waiting for the arena.",
        "The first message was not Join.",
        "Send Join as soon as the stream is open, before anything is read or sent.",
    ),
    Rule(
        "join-protocol",
        "Join names the protocol that the bot speaks: major 1.",
        "Join named another protocol.",
        "Set protocol_major and protocol_minor of Join; generate the code from the arena's `proto/`.",
    ),
    Rule(
        "join-games",
        "Join names the games that the bot plays, at least one that this arena has, or `*` for every game.",
        "Join named no game of this arena.",
        "Fill Join.games with the names that `arena game list` shows, or with `*`.",
    ),
    Rule(
        "join-once",
        "Join is sent once in a stream.",
        "Join came again.",
        "Send Join when the stream opens and never afterwards, not for every match.",
    ),
    Rule(
        "one-stream",
        "The bot opens one stream for the life of its process.",
        "A second stream was opened.",
        "Keep the first stream for all matches; do not open another one, and do not retry the call.",
    ),
    Rule(
        "waits-for-joined",
        "Between Join and Joined the bot sends nothing, however long that takes.",
        "Something was sent before Joined came.",
        "Wait for the event Joined after sending Join.",
    ),
    Rule(
        "tcp-address",
        "ARENA_ADDRESS may be `127.0.0.1:port` as well as `unix:/path`.",
        "The bot did not play at an address of TCP.",
        "Hand ARENA_ADDRESS to gRPC as it is; do not take it apart.",
    ),
    Rule(
        "health-optional",
        "The bot plays where no health service is served.",
        "The bot did not play without a health service.",
        "Do not ask `grpc.health.v1.Health` before joining, or take UNIMPLEMENTED for an answer.",
    ),
    Rule(
        "output",
        "The bot writes less than 64 MB to stdout and stderr together.",
        "Too much was written to stdout and stderr.",
        "Log less; the protocol needs nothing on stdout.",
    ),
)

NEWER = (
    Rule(
        "refuses-major",
        "When Joined names another major version, the bot says so on stderr and exits with a status other than 0.",
        "Another major version was not refused.",
        "Compare Joined.protocol_major with your own; name both versions on stderr and exit with 1.",
    ),
    Rule(
        "accepts-minor",
        "A higher minor version in Joined is accepted.",
        "A higher minor version was not accepted.",
        "Compare the major version alone.",
    ),
    Rule(
        "ignores-events",
        "An event that the bot does not know is ignored, whenever it comes.",
        "An unknown event was not ignored.",
        "Let the default branch over the kinds of PlayResponse do nothing.",
    ),
    Rule(
        "ignores-fields",
        "Fields that the bot does not know are ignored in every message.",
        "Unknown fields were not ignored.",
        "Read messages with generated code and do not reject unknown fields.",
    ),
)
