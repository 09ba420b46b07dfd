"""Copies a database on a PostgreSQL server into a file, with the server's own tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy.engine import URL

from engine.text import Text
from ratings.errors import BackupError

_TOOL = "pg_dump"


def dump(url: URL, target: Path) -> None:
    """Copy the database into a new file, in the tool's own format, while others go on writing.

    Only its owner may read it, as the server lets only its users read what it holds.
    `pg_restore` reads it. Raises BackupError: the file exists, its directory does not, the tool is not installed or
    failed.
    """
    if target.exists():
        raise BackupError(
            Text("service.exists_already_name_new_file", "{file} exists already; name a new file", file=target)
        )
    if not target.parent.is_dir():
        raise BackupError(
            Text(
                "service.no_directory_create_first", "there is no directory {path}; create it first", path=target.parent
            )
        )
    tool = shutil.which(_TOOL)
    if tool is None:
        raise BackupError(
            Text(
                "ratings.database_server_copied_pg_dump",
                "a database on a server is copied by pg_dump, which is not installed here; install Debian's "
                "postgresql-client, or run it where the server is",
            )
        )
    # The copy gets its name only when it is complete, and by a link, which never replaces a file made meanwhile.
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as directory:
        whole = Path(directory) / "copy.dump"
        whole.touch(mode=0o600)
        _run(tool, url, whole)
        try:
            os.link(whole, target)
        except FileExistsError as error:
            raise BackupError(
                Text("service.exists_already_name_new_file", "{file} exists already; name a new file", file=target)
            ) from error


def _run(tool: str, url: URL, whole: Path) -> None:
    # The password goes by the environment: others on this machine can read command lines.
    password = url.password or url.query.get("password")
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    plain = url._replace(drivername="postgresql", password=None).difference_update_query(["busy_timeout", "password"])
    place = plain.render_as_string(hide_password=False)
    words = [tool, "--format=custom", "--no-password", f"--file={whole}", f"--dbname={place}"]
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else done.returncode
        raise BackupError(
            Text("ratings.pg_dump_failed_nothing_kept", "pg_dump failed ({why}); nothing was kept", why=why)
        )
    with whole.open("rb") as written:
        os.fsync(written.fileno())
