"""Keeps gRPC from writing on the standard error output of a command; to be called before gRPC is imported."""

from __future__ import annotations

import os


def keep_grpc_quiet() -> None:
    """Let gRPC log nothing: what goes wrong is told in one line of ours. Whoever set its variable is left alone."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
