"""The process that serves the pages of a service.

    python -m arena.web --db FILE --service unix:FILE --host HOST --port PORT [--certificate FILE --key FILE]

It is started by `arena.service.lifecycle.web`, not by people, who use `arena web`. It writes one frame, the
port on which it is ready, and ends with its standard input, on SIGTERM, or with the process that started it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from arena.model.human_play import PlayLimits

NICE = 10
"""Bots come first: a page may wait for a processor, and a decision must not."""


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m arena.web", description=__doc__)
    parser.add_argument("--db", required=True, help="the database that is shown, and never written")
    parser.add_argument("--service", required=True, help="where the service is asked: unix: and the path of a socket")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True, help="0 lets the system choose")
    parser.add_argument("--certificate", type=Path, help="serve by https with this certificate (PEM)")
    parser.add_argument("--key", type=Path)
    parser.add_argument("--name", action="append", default=[], help="a name by which a proxy asks for the pages")
    parser.add_argument("--people", type=int, default=0, help="how many people may play at once")
    parser.add_argument("--people-idle", type=float, default=1800.0, help="seconds after which an idle seat resigns")
    parser.add_argument("--people-per-visitor", type=int, default=4, help="seats of one visitor at once")
    parser.add_argument("--people-per-hour", type=int, default=30, help="tables that one address opens in an hour")
    parser.add_argument("--people-rated", action="store_true", help="let people play rated matches")
    return parser.parse_args(arguments)


def _people(options: argparse.Namespace) -> PlayLimits:
    return PlayLimits(
        most=options.people,
        idle_s=options.people_idle,
        per_visitor=options.people_per_visitor,
        per_hour=options.people_per_hour,
        rated=options.people_rated,
    )


def _serve(options: argparse.Namespace, output: int) -> None:
    from arena.hosting.framed_pipe import encode_frame
    from arena.web.app import make_app, open_site
    from arena.web.serving import Tls, listen, serve

    tls = Tls(options.certificate, options.key) if options.certificate else None
    names = None if tls else tuple(options.name)  # a certificate is proof of the name
    with (
        open_site(
            options.db, options.service, is_secure=tls is not None, people=_people(options), names=names, is_helped=True
        ) as site,
        listen(options.host, options.port) as listening,
    ):
        port = listening.getsockname()[1]
        ready = encode_frame({"event": "ready", "port": port})
        serve(make_app(site), listening, lambda: _write(output, ready), tls=tls, ends_with=sys.stdin.fileno())


def _write(output: int, frame: bytes) -> None:
    os.write(output, frame)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; return 0 when told to stop, or 1 with one line on stderr if that is impossible."""
    options = _parse(arguments)
    from arena.hosting.prctl import die_with_parent

    die_with_parent(signal.SIGKILL)
    os.nice(NICE)
    output = os.dup(1)
    os.dup2(2, 1)  # whatever is printed is no frame
    try:
        _serve(options, output)
    except Exception as error:  # the top of a process: the service tells its last line to the organiser
        print(f"pages: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201 - the service keeps it
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
