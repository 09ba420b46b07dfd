"""Where one bot process connects: a socket or a port of its own, on which nobody listens once the bot has connected.

What comes through a listener is that bot's doing, whatever it is: nobody else can be meant when it is too much. Only
the bot reaches a socket. A port is reached by everybody on this machine: so it is shut only when somebody has shown the
bot's token, or a stranger could shut the bot out with one call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, Self

from arena.hosting.procfs.sockets import Connections, connections, stop_listening
from arena.hosting.user_directories import new_socket_path
from arena.referee.inbox import Flood
from arena.referee.server import MakeStream, PlayServer, StreamAdmission
from arena.referee.stream import BotStream
from engine.text import Text

MOST_CONNECTIONS = 4
"""How many connections a bot may have. It needs one; a program may be slow to close another one."""
MOST_CONNECTIONS_SEEN = 16
"""How many different ones may be seen before it has joined."""


class BotListener(Protocol):
    """Where one bot connects, and its right to do so once."""

    socket: Path | None
    """The socket; None for a port."""
    address: str
    """Where the bot connects."""
    admission: StreamAdmission
    """The right, and the stream of the bot that used it."""

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""

    async def close(self) -> None:
        """End what serves it, and remove the socket."""


class DirectListener:
    """A `BotListener` that this process serves itself. `open_socket` or `open_port` opens it; `close` ends it."""

    def __init__(self, path: Path | None = None, make_stream: MakeStream = BotStream) -> None:
        self.socket = path
        """The socket; None for a port."""
        self.address = ""
        """Where the bot connects."""
        self._server = PlayServer(self._note_call, make_stream=make_stream)
        self.admission = self._server.admit()
        self._seen: set[int] = set()

    @classmethod
    async def open_socket(cls, directory: Path, make_stream: MakeStream = BotStream) -> Self:
        """Open a listener with a socket in a runtime directory. Raises RuntimeError if that is impossible."""
        path = new_socket_path(directory)
        listener = cls(path, make_stream)
        listener.address = f"unix:{path}"
        await listener._server.start(listener.address)
        return listener

    @classmethod
    async def open_port(cls, host: str) -> Self:
        """Open a listener with a port of this machine. Raises RuntimeError if that is impossible."""
        listener = cls()
        listener.admission.stream.add_done_callback(lambda _: listener._shut())
        listener.address = f"{host}:{await listener._server.start(f'{host}:0')}"
        return listener

    def look(self) -> None:
        """Disconnect a bot that has connected too often; to be called from time to time until it has joined."""
        now = connections().get(self._name, Connections()).inodes
        self._seen |= now
        if len(now) > MOST_CONNECTIONS or len(self._seen) > MOST_CONNECTIONS_SEEN:
            most = max(len(now), len(self._seen))
            why = Text(
                "worker.opened_connections_arena_bot_needs",
                "It opened {most} connections to the arena; a bot needs one for its whole life.",
                most=most,
            )
            self.disconnect(Flood(why, {"connections": most}))

    def count_messages(self) -> int:
        """Return how many messages the bot has sent."""
        return self.admission.count_messages()

    def disconnect(self, flood: Flood) -> None:
        """End its connections, since it did what costs the arena more than it may."""
        self._shut()
        self._server.disconnect(flood)

    def dismiss(self) -> None:
        """Revoke its right, and close its stream."""
        self._server.dismiss(self.admission)

    async def close(self) -> None:
        """End the server, and remove the socket."""
        await self._server.stop()
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)

    def _note_call(self) -> None:
        """Shut a socket: whoever makes a call there is the bot."""
        if self.socket is not None:
            self._shut()

    def _shut(self) -> None:
        """Accept nobody any more: the bot has connected, and needs one connection."""
        stop_listening(self._name)

    @property
    def _name(self) -> str:
        return self.address if self.socket is None else str(self.socket)


ListenerOpener = Callable[[], Awaitable[BotListener]]
