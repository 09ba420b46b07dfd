"""What the errors of a PostgreSQL server mean to people, with the remedy."""

from __future__ import annotations

from sqlalchemy.engine import URL

from engine.translatable import Text
from ratings.errors import DatabaseAccessError, DatabaseBusyError, DatabaseFullError, DatabaseLostError, RatingsError

_PORT = 5432
_BUSY = frozenset({"55P03", "40P01", "40001"})
"""A lock that did not come in time, a deadlock, two that changed the same."""
_FULL = frozenset({"53100", "54000", "53200"})
_LOST = frozenset({"57P01", "57P02", "57P03", "57P05", "08000", "08003", "08006", "08001", "08004", "25P03"})
"""The server stops, starts, crashed, or cut the connection."""
_CROWDED = ("too many clients", "too many connections", "remaining connection slots")
_READ_ONLY = frozenset({"25006", "42501", "3F000"})
"""It may not be written, or there is no schema to write to."""
_TIMED_OUT = "statement timeout"
_REFUSED = (
    'role "',
    "password authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "authentication failed",
)
_MISSING = ("does not exist",)
_PASSING = (
    "connection refused",
    "timeout expired",
    "the database system is",
    "server closed the connection",
    "connection reset",
    "terminating connection",
    "is the server running",
    "network is unreachable",
    "no route to host",
    "the connection is lost",
    "the connection is closed",
)


def place_of(url: URL) -> tuple[str, str]:
    """Return the name of a database, quoted, and where its server is."""
    host = url.query.get("host", url.host) or "localhost"
    port = "" if url.port in (None, _PORT) else f":{url.port}"
    return repr(url.database or url.username or "postgres"), f"{host}{port}"


def translate(error: BaseException, url: URL) -> RatingsError | None:
    """Return what an error means, or `None` if it is not one of the server or tells of a fault of this program."""
    if not _is_drivers(error):
        return None
    state, (name, host), why = getattr(error, "sqlstate", None), place_of(url), _said(error)
    if state in _BUSY:
        return DatabaseBusyError(
            Text("database {name} on {host} is being written by another process; try again later", name=name, host=host)
        )
    if state in _FULL:
        return DatabaseFullError(
            Text(
                "no room left for database {name} on {host}; free some space and go on, nothing was half-written",
                name=name,
                host=host,
            )
        )
    if any(crowded in str(error).lower() for crowded in _CROWDED):
        return DatabaseLostError(
            Text(
                "database {name} on {host} has no connection left ({why}); end others, or have it allow more",
                name=name,
                host=host,
                why=why,
            )
        )
    if _TIMED_OUT in str(error):
        return DatabaseAccessError(
            Text(
                "database {name} on {host} ends what takes long ({why}); lift its statement_timeout for this user",
                name=name,
                host=host,
                why=why,
            )
        )
    if state in _LOST or _is_closed(error):
        return _lost(url)
    if state in _READ_ONLY:
        return DatabaseAccessError(
            Text(
                "database {name} on {host} cannot be written ({why}); grant that, or name another user",
                name=name,
                host=host,
                why=why,
            )
        )
    return None if state is not None else _not_connected(error, url)


def _is_drivers(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "psycopg"


def _is_closed(error: BaseException) -> bool:
    """Return whether a connection broke that had been made."""
    pgconn = getattr(error, "pgconn", None)
    return pgconn is not None and type(error).__name__ == "OperationalError" and _is_passing(error)


def _is_passing(error: BaseException) -> bool:
    words = str(error).lower()
    return any(passing in words for passing in _PASSING)


def _not_connected(error: BaseException, url: URL) -> RatingsError | None:
    kind, words = type(error).__name__, str(error).lower()
    is_about_url = kind == "ProgrammingError" and "connection option" in words
    if not is_about_url and kind not in ("OperationalError", "ConnectionTimeout", "InterfaceError"):
        return None
    (name, host), why = place_of(url), _said(error)
    if any(refused in words for refused in _REFUSED):
        return DatabaseAccessError(
            Text(
                "database {name} on {host} does not let this user in ({why}); give name and password in the URL, "
                "or the password in ~/.pgpass",
                name=name,
                host=host,
                why=why,
            )
        )
    if any(missing in words for missing in _MISSING):
        return DatabaseAccessError(
            Text(
                "database {name} on {host} cannot be opened ({why}); make it with createdb, or name another",
                name=name,
                host=host,
                why=why,
            )
        )
    if not is_about_url and (_is_passing(error) or kind == "ConnectionTimeout"):
        return _lost(url)
    return DatabaseAccessError(
        Text("database {name} on {host} cannot be opened ({why}); check the URL", name=name, host=host, why=why)
    )


def _lost(url: URL) -> DatabaseLostError:
    name, host = place_of(url)
    return DatabaseLostError(
        Text(
            "database {name} on {host} does not answer; see that its server runs, nothing was half-written",
            name=name,
            host=host,
        )
    )


def _said(error: BaseException) -> str:
    """Return the last thing the server said, on one line; of several addresses tried, that of the last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if "FATAL" in line or "ERROR" in line), lines[0] if lines else "")
    return said.rpartition("FATAL:")[2].rpartition("ERROR:")[2].strip() or type(error).__name__
