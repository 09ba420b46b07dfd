"""The gRPC side of a match: streams, time measurement, authentication, errors."""

import os

# gRPC's fork handlers can hang a child that is started while streams are open. Nothing here forks (bots are started
# by the launcher), so they are switched off; gRPC reads this once, at its first import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
