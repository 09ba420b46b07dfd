"""Keeps the logins of this user, each in a file that only he may read: address, pinned certificate, token."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from arena.model.errors import ClientError, RefusedError, unknown
from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.values.states import Scope

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_SUFFIX = ".json"
_SCHEMA = 1
_UNIX = "unix:"
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+(?:%\w+)?)\]|([\w.-]+)):(\d{1,5})")
_LARGEST_PORT = 65_535


class ProfileError(ClientError):
    """A stored login cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A login at a service."""

    name: str
    address: str
    """`host:port`."""
    token: str
    owner: str | None
    scope: Scope
    certificate: str | None = None
    """The pinned certificate as PEM, or `None` if an authority that machines trust vouches for the service."""
    fingerprint: str | None = None
    certificate_name: str | None = None
    """A name that the pinned certificate is valid for."""
    plain: bool = False
    """No TLS: only for a service on this machine."""


def default_directory() -> Path:
    """Return where this user's logins are kept."""
    return user_config_path("kingmaker-arena") / "logins"


def save_profile(profile: Profile, directory: Path | None = None) -> Path:
    """Store a login under its name, in place of an older one, and return its file.

    Raises RefusedError for a name that cannot be a file's, and ProfileError if it cannot be written.
    """
    directory = directory or default_directory()
    file = _file_of(profile.name, directory)
    text = json.dumps({"schema": _SCHEMA, **asdict(profile)}, indent=2)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        _write(file, text)
    except OSError as error:
        raise ProfileError(
            Text(
                "cannot store the login in {file}: {why}; the token was not stored", file=file, why=os_error_text(error)
            )
        ) from error
    return file


def check_writable(directory: Path | None = None) -> None:
    """Raise ProfileError if no login can be stored."""
    directory = directory or default_directory()
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(directory, os.W_OK | os.X_OK):
            return
    except OSError as error:
        raise ProfileError(
            Text("cannot make {directory}: {why}; logins are kept there", directory=directory, why=os_error_text(error))
        ) from error
    raise ProfileError(
        Text("cannot write in {directory}, where logins are kept; check whose directory it is", directory=directory)
    )


def load_profile(name: str, directory: Path | None = None) -> Profile:
    """Return the login of that name.

    Raises UnknownError if there is none, and ProfileError if its file is damaged or others may read it.
    """
    file = _file_of(name, directory)
    try:
        with file.open(encoding="utf-8") as stream:
            if stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & 0o077:
                raise ProfileError(
                    Text(
                        "others may read {file}, which holds a token; `chmod 600 {file_2}` closes it, and if others "
                        "use this machine, ask for a new token",
                        file=file,
                        file_2=file,
                    )
                )
            return _parse(file, stream.read())
    except UnicodeDecodeError as error:
        raise _damaged(file, error) from error
    except FileNotFoundError:
        raise unknown(
            "login", name, list_names(directory), Text("`arena login ADDRESS --name NAME` makes one")
        ) from None
    except OSError as error:
        raise ProfileError(
            Text(
                "cannot read the login in {file}: {why}; remove it and log in again",
                file=file,
                why=os_error_text(error),
            )
        ) from error


def list_names(directory: Path | None = None) -> list[str]:
    """Return the names of all logins in the order of the alphabet."""
    files = (directory or default_directory()).glob(f"[!.]*{_SUFFIX}")
    return sorted(file.name.removesuffix(_SUFFIX) for file in files)


def remove_profile(name: str, directory: Path | None = None) -> None:
    """Forget the login of that name. Raises UnknownError if there is none."""
    try:
        _file_of(name, directory).unlink()
    except FileNotFoundError:
        raise unknown("login", name, list_names(directory), Text("`arena logout` lists them")) from None


def check_profile_name(name: str) -> str:
    """Return the name. Raises RefusedError if it cannot be the name of a login."""
    if not _NAME.fullmatch(name):
        raise RefusedError(
            Text(
                "{name} cannot be the name of a login; use up to 63 of a-z, 0-9, '.', '_' and '-', beginning "
                "with a letter or digit",
                name=repr(name),
            )
        )
    return name


def _file_of(name: str, directory: Path | None) -> Path:
    return (directory or default_directory()) / f"{check_profile_name(name)}{_SUFFIX}"


def _parse(file: Path, text: str) -> Profile:
    try:
        data: dict[str, Any] = json.loads(text)
        if data.pop("schema") != _SCHEMA:
            raise ValueError("it was written by another version of the arena")
        profile = Profile(**{**data, "scope": Scope(data["scope"])})
        texts = (profile.name, profile.address, profile.token)
        others = (profile.owner, profile.certificate, profile.fingerprint, profile.certificate_name)
        if not all(isinstance(text, str) for text in texts + tuple(text for text in others if text is not None)):
            raise ValueError("a text was expected, and something else is there")
        if not re.fullmatch(r"[!-~]+", profile.token):
            raise ValueError("it holds no token")
        if not isinstance(profile.plain, bool):
            raise ValueError("plain is neither true nor false")
        if not profile.address.startswith(_UNIX):
            split_address(profile.address)
        return profile
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(file, error) from error


def _damaged(file: Path, error: Exception) -> ProfileError:
    return ProfileError(
        Text("the login in {file} is damaged ({why}); remove the file and log in again", file=file, why=error)
    )


def _write(file: Path, text: str) -> None:
    """Write a file of mode 0600, whole or not at all."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of an address. Raises ValueError, with the remedy, for a text that is none."""
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) <= _LARGEST_PORT:
        raise ValueError(
            Text(
                "{address} is no address; write HOST:PORT, for example arena.example.org:7733 or [2001:db8::7]:7733",
                address=repr(address),
            )
        )
    return found[1] or found[2], int(found[3])


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine. Raises ValueError for a text that is none."""
    host = split_address(address)[0]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
