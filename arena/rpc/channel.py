"""Opens the connection to a service that a login is for, and finds out why it cannot be opened."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

import grpc

from arena.model.errors import ClientError, RefusedError
from arena.rpc.certificates import check_dates, fetch_certificate, fingerprint_of
from arena.rpc.errors import CertificateError, UnreachableError
from arena.rpc.profiles import Profile, is_loopback, split_address
from engine.os_errors import os_error_text
from engine.translatable import Text

_MOST_ANSWER_BYTES = 256 << 20
"""A replay, or a page of 500 items."""
_OPTIONS = (
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),  # a stream may rest for hours, and its end must be noticed
    # A command is over soon, and its user would rather be told at once than wait for seconds between two tries.
    ("grpc.initial_reconnect_backoff_ms", 200),
)
UNIX = "unix:"
_CONNECT_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address, and how a connection to it is made safe."""

    address: str
    """`host:port`, or `unix:` and the path of a socket."""
    certificate: str | None = None
    """The pinned certificate, PEM."""
    certificate_name: str | None = None
    plain: bool = False
    """No TLS: only for this machine itself."""
    login: str | None = None
    """The name of the stored login, if there is one."""

    def __post_init__(self) -> None:
        """Raise RefusedError for an address that gRPC could not take."""
        try:
            self.address.encode()
        except UnicodeEncodeError as error:
            raise RefusedError(Text("{text} is not Unicode text; write it anew", text=repr(self.address))) from error

    @staticmethod
    def of(profile: Profile) -> Endpoint:
        """Return the endpoint that a login is for. Raises CertificateError if no certificate can be read in it."""
        try:
            if profile.certificate is not None:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=profile.certificate)
        except (ssl.SSLError, ValueError):
            raise CertificateError(
                Text(
                    "the certificate in the login {name} cannot be read; log in again: arena login {address} "
                    "--name {name_2}",
                    name=repr(profile.name),
                    address=profile.address,
                    name_2=profile.name,
                )
            ) from None
        return Endpoint(profile.address, profile.certificate, profile.certificate_name, profile.plain, profile.name)

    def open(self) -> grpc.Channel:
        """Return a channel, which whoever asked closes. Nothing is sent before the first call."""
        credentials = self._credentials()
        if credentials is None:
            return grpc.insecure_channel(self.address, self._options())
        return grpc.secure_channel(self.address, credentials, self._options())

    def open_in_loop(self, most_bytes: int) -> grpc.aio.Channel:
        """Return a channel for the event loop that runs, which whoever asked closes.

        It takes no message of more than `most_bytes`.
        """
        credentials, options = self._credentials(), self._options(most_bytes)
        # Otherwise all channels of a process share one connection, which a service lets carry only so many streams.
        options.append(("grpc.use_local_subchannel_pool", 1))
        if credentials is None:
            return grpc.aio.insecure_channel(self.address, options)
        return grpc.aio.secure_channel(self.address, credentials, options)

    def _options(self, most_bytes: int = _MOST_ANSWER_BYTES) -> list[tuple[str, int | str]]:
        options: list[tuple[str, int | str]] = [*_OPTIONS, ("grpc.max_receive_message_length", most_bytes)]
        if self.address.startswith(UNIX) or is_loopback(self.address):
            options.append(("grpc.enable_http_proxy", 0))  # a proxy would look for this machine on its own
        if self.certificate_name is not None:
            options.append(("grpc.ssl_target_name_override", self.certificate_name))
        return options

    def _credentials(self) -> grpc.ChannelCredentials | None:
        """Return what a connection is made safe with, or `None` if it is plain."""
        if self.address.startswith(UNIX) or self.plain:
            return None
        return grpc.ssl_channel_credentials(None if self.certificate is None else self.certificate.encode())

    def diagnose(self) -> ClientError | None:
        """Return why the service cannot be reached, or `None` if there is nothing wrong to be seen."""
        if self.address.startswith(UNIX):
            path = self.address.removeprefix(UNIX)
            return UnreachableError(
                Text("no service listens at {address}; `arena serve --home DIR` starts one", address=path)
            )
        if self.plain:
            return _what_answers(self.address)
        try:
            shown = fetch_certificate(*split_address(self.address))
            if self.certificate is not None:
                self._check_dates(self.certificate)
                found, pinned = fingerprint_of(shown.certificate.encode()), fingerprint_of(self.certificate.encode())
                if found != pinned:
                    raise CertificateError(
                        Text(
                            "{address} shows another certificate ({found}) than the one that was pinned ({pinned}); "
                            "ask the organiser whether it was changed; if so, `{command}` pins it, with your token",
                            address=self.address,
                            found=found,
                            pinned=pinned,
                            command=self._login_with(found),
                        )
                    )
            elif not shown.is_vouched_for:
                check_dates(shown.certificate)
                raise CertificateError(
                    Text(
                        "no authority vouches for the certificate of {address} any more; ask the organiser, then log "
                        "in again",
                        address=self.address,
                    )
                )
        except ClientError as error:
            return error
        return None

    def _check_dates(self, pinned: str) -> None:
        try:
            check_dates(pinned)
        except CertificateError as error:
            again = self._login_with("FINGERPRINT")
            raise CertificateError(
                Text("{why}; with that of a new one `{command}` pins it, with your token", why=error, command=again)
            ) from error

    def _login_with(self, fingerprint: str) -> str:
        name = "" if self.login is None else f" --name {self.login}"
        return f"arena login {self.address}{name} --fingerprint {fingerprint}"


def _what_answers(address: str) -> ClientError:
    """Return why a service that is spoken to without TLS cannot be reached."""
    try:
        socket.create_connection(split_address(address), _CONNECT_PATIENCE_S).close()
    except OSError as error:
        return UnreachableError(
            Text(
                "nothing answers at {address} ({why}); check the port, and that the service runs",
                address=address,
                why=os_error_text(error),
            )
        )
    return CertificateError(
        Text(
            "what answers at {address} does not speak as a service without TLS does; check the port, and log in "
            "again if the service has a certificate now",
            address=address,
        )
    )
