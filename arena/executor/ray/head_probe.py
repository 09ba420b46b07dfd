"""Probes a head of Ray: asks it who it is, in a process of its own, which is ended if nothing is answered.

    python -m arena.executor.ray.head_probe HOST:PORT|auto

It prints an empty line when it has imported Ray, and then one line of JSON.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress

from arena.executor.interface import ExecutorFailedError
from arena.executor.ray.head_address import START_HEAD
from arena.executor.ray.library import load_ray, part_of_ray
from engine.translatable import Text, to_json

CONNECT_S = 3.0


def ask(text: str) -> dict[str, str]:
    """Return the address of the head, its versions and our own, or under `problem` why there is none."""
    try:
        ray = load_ray()
    except ExecutorFailedError as error:
        return {"problem": str(error)}
    if os.environ.get("RAY_AUTH_MODE") == "token" and not _has_token():
        return {
            "problem": Text(
                "RAY_AUTH_MODE is token, and there is no token here; copy that of the head, which lies there in "
                "~/.ray/auth_token, to the same place"
            )
        }
    if text == "auto":
        found = part_of_ray("_private.services").find_gcs_addresses()
        alive = [one for one in sorted(found) if _listens(one)]  # the other processes of a cluster outlive its head
        if len(alive or found) != 1:
            return {"problem": _which(alive or sorted(found))}
        (text,) = alive or found
        if not alive:
            return {"problem": Text("no head of Ray answers at {address}; {remedy}", address=text, remedy=START_HEAD)}
    try:
        client = part_of_ray("_raylet").GcsClient(address=text)
        known = part_of_ray("_common.usage.usage_lib").get_cluster_metadata(client)
    except Exception as error:  # whatever Ray raises
        if type(error).__name__ == "AuthenticationError":
            return {"problem": _why_no_entry(text)}
        return {
            "problem": Text(
                "the head of Ray at {address} does not let us in: {why}; see its log, and RAY_AUTH_MODE",
                address=text,
                why=" ".join(str(error).split())[:200],
            )
        }
    return {"address": text, "ray": known["ray_version"], "own_ray": ray.__version__, "python": known["python_version"]}


def _has_token() -> bool:
    loader = part_of_ray("_raylet").AuthenticationTokenLoader.instance()
    return bool(loader.has_token(ignore_auth_mode=True))


def _why_no_entry(text: str) -> str:
    """Return what is wrong with our token, for a head that does not take it."""
    if os.environ.get("RAY_AUTH_MODE") != "token":
        return Text(
            "the head of Ray at {address} lets nobody in without its token; set RAY_AUTH_MODE=token, and "
            "copy its ~/.ray/auth_token to the same place here",
            address=text,
        )
    return Text(
        "the head of Ray at {address} does not take the token that is used here; copy its ~/.ray/auth_token "
        "to the same place here, and see that RAY_AUTH_TOKEN and RAY_AUTH_TOKEN_PATH name no other",
        address=text,
    )


def _listens(text: str) -> bool:
    host, _, port = text.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
    except (OSError, ValueError):
        return False
    return True


def _which(found: list[str]) -> str:
    if found:
        return Text(
            "there are {count} heads of Ray on this machine, at {addresses}; name one with --address",
            count=len(found),
            addresses=", ".join(found),
        )
    return Text(
        "there is no head of Ray on this machine; start one with `ray start --head`, or name one with "
        "--address HOST:PORT"
    )


if __name__ == "__main__":
    with suppress(ExecutorFailedError):  # which is told below
        load_ray()
    sys.stdout.write("\n")
    sys.stdout.flush()
    said = {key: to_json(words) for key, words in ask(sys.argv[1]).items()}
    sys.stdout.write(f"\n{json.dumps(said)}\n")
