"""A remote bot without our kit: plain gRPC over TLS and the code generated from proto/. It plays legal moves by chance.

    export ARENA_TOKEN=kma_...
    python examples/remote_client.py HOST:PORT --certificate club.pem --name dice --game foreign_king

docs/remote-bots.md tells where token and certificate come from. One stream serves several matches at once: every
message names its match. A connection that breaks is opened anew; the service then tells each running match again.
Ctrl-C takes leave: the matches that run are played to their end, and no other begins. A second one ends it at once.
"""

from __future__ import annotations

import argparse
import os
import queue
import random
import re
import signal
import sys
import time
from pathlib import Path

import grpc

from arena.v1 import play_pb2, play_pb2_grpc

LEAVE = play_pb2.PlayRequest(leave=play_pb2.Leave())
# As docs/remote-bots.md tells: after these codes trying again would change nothing, whatever the reason is, except that
# another version that is in a match gets out of the way, and that nobody gets a limit raised by asking again.
FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.ABORTED,
}
PASSING_REASONS, FINAL_REASONS = {"VERSION_IN_PLAY"}, {"BOTS"}
# In the trailer lies a google.rpc.Status with an ErrorInfo: its field 1 is the reason, its field 2 the domain `arena`.
REASON = re.compile(rb"([A-Z][A-Z_]*)\x12\x05arena")


def answer(response: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
    """Return what to send for a message of the service, or `None` if it asks for nothing."""
    kind = response.WhichOneof("event")
    if kind == "decide":
        decide = response.decide
        action = random.choice(decide.legal_actions)
        return play_pb2.PlayRequest(act=play_pb2.Act(match_id=decide.match_id, ply=decide.ply, actions=[action]))
    if kind == "match_started":
        started = response.match_started
        print(f"{started.match_id}: {started.game}, seat {started.seat} of {started.seats}", flush=True)
    elif kind == "match_finished":
        finished = response.match_finished
        print(f"{finished.match_id}: ranks {list(finished.result.ranks)}", flush=True)
    return None  # what this program does not know is ignored, as newer services may say more


def reason_of(error: grpc.RpcError) -> str:
    """Return the word that the service has for why it ended the stream, or nothing if it was not the service."""
    trailer = dict(error.trailing_metadata() or ())
    found = REASON.search(trailer.get("grpc-status-details-bin", b""))
    return "" if found is None else found[1].decode()


def is_final(error: grpc.RpcError) -> bool:
    """Return whether trying again would change nothing."""
    reason = reason_of(error)
    return reason in FINAL_REASONS or (error.code() in FINAL and reason not in PASSING_REASONS)


class Player:
    """The bot, which may have several streams, one after another."""

    def __init__(self, join: play_pb2.Join) -> None:
        self.join = join
        self.is_leaving = False
        self.outgoing: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()

    def leave(self, *_signal: object) -> None:
        """Want no new match: the service ends the stream when those that run are over."""
        if self.is_leaving:
            raise KeyboardInterrupt
        self.is_leaving = True
        self.join.max_concurrent_matches = -1  # if the connection is lost, it comes back for what still runs
        self.outgoing.put(LEAVE)

    def play(self, channel: grpc.Channel, token: str) -> None:
        """Play until the stream ends. Raises grpc.RpcError, which says why."""
        outgoing = self.outgoing = queue.SimpleQueue()
        outgoing.put(play_pb2.PlayRequest(join=self.join))
        stub = play_pb2_grpc.PlayServiceStub(channel)  # type: ignore[no-untyped-call]
        try:
            for response in stub.Play(iter(outgoing.get, None), metadata=(("authorization", f"Bearer {token}"),)):
                request = answer(response)
                if request is not None:
                    outgoing.put(request)
        finally:
            outgoing.put(None)  # ends the thread of gRPC that waits for the next message


def open_channel(address: str, certificate: Path | None, name: str | None) -> grpc.Channel:
    """Return a connection over TLS; a certificate that nobody vouches for is pinned by naming its file."""
    pinned = None if certificate is None else certificate.read_bytes()
    options = [] if name is None else [("grpc.ssl_target_name_override", name)]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(pinned), options)


def main() -> None:
    """Join, play, and join again whenever the connection is lost, until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Play legal moves by chance on a service, from this machine.")
    parser.add_argument("address", metavar="HOST:PORT", help="where the service takes remote bots")
    parser.add_argument("--certificate", type=Path, help="the service's own, as PEM, if no authority vouches for it")
    parser.add_argument("--certificate-name", help="a name that it is valid for, if the host's is none")
    parser.add_argument("--name", default="dice")
    parser.add_argument("--version", default="1")
    parser.add_argument("--game", action="append", help="may be repeated; every game by default")
    parser.add_argument("--matches", type=int, default=4, help="matches at once")
    chosen = parser.parse_args()
    token = os.environ.get("ARENA_TOKEN")
    if token is None:
        parser.error("put your token into the environment variable ARENA_TOKEN")
    if chosen.certificate is not None and not chosen.certificate.is_file():
        parser.error(f"there is no file {chosen.certificate}; docs/remote-bots.md tells how to get the certificate")
    join = play_pb2.Join(
        name=chosen.name,
        version=chosen.version,
        protocol_major=1,
        games=chosen.game or ["*"],
        max_concurrent_matches=chosen.matches,
    )
    player = Player(join)
    signal.signal(signal.SIGINT, player.leave)
    while True:
        try:
            with open_channel(chosen.address, chosen.certificate, chosen.certificate_name) as channel:
                player.play(channel, token)
            if player.is_leaving:
                return
        except grpc.RpcError as error:
            print(f"{error.code().name}: {error.details()}", file=sys.stderr, flush=True)
            if is_final(error):
                sys.exit(1)
        time.sleep(random.uniform(1, 3))


if __name__ == "__main__":
    main()
