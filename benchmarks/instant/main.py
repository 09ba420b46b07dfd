"""An instant bot: the wire and nothing else, so that a benchmark measures the arena and not the bot."""

from __future__ import annotations

import asyncio
import os
import random

import grpc

from arena.v1 import play_pb2


async def play() -> None:
    """Answer every Decide with a random legal action until the arena closes the stream."""
    options = [("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"], options=options) as channel:
        method = channel.stream_stream(
            "/arena.v1.PlayService/Play",
            request_serializer=play_pb2.PlayRequest.SerializeToString,
            response_deserializer=play_pb2.PlayResponse.FromString,
        )
        call = method(metadata=(("authorization", f"Bearer {os.environ['ARENA_TOKEN']}"),))
        join = play_pb2.Join(name="instant", protocol_major=1, protocol_minor=0, games=["foreign_king"])
        await call.write(play_pb2.PlayRequest(join=join))
        draw = random.Random(0).random
        while isinstance(response := await call.read(), play_pb2.PlayResponse):
            event = response.WhichOneof("event")
            if event == "match_started":
                draw = random.Random(response.match_started.seed).random
            elif event == "decide":
                decide = response.decide
                legal = decide.legal_actions
                action = legal[int(draw() * len(legal))]
                act = play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=[action])
                await call.write(play_pb2.PlayRequest(act=act))


if __name__ == "__main__":
    asyncio.run(play())
