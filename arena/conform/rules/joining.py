"""The rules of the beginning of a stream, and of what is newer than the bot."""

from __future__ import annotations

from arena.conform.rules.rule import Rule
from engine.text import Text

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
