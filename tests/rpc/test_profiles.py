"""Stored logins and certificates: they read back, damage is told with its remedy, and wrong services are told apart."""

from __future__ import annotations

import socket
import ssl
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model.errors import RefusedError, UnknownError
from arena.rpc.certificates import check_dates, fetch_certificate, fingerprint_of, name_in, parse_fingerprint
from arena.rpc.errors import CertificateError, UnreachableError
from arena.rpc.profiles import (
    Profile,
    ProfileError,
    default_directory,
    list_names,
    load_profile,
    remove_profile,
    save_profile,
)
from arena.service.server.self_signed import TlsFiles, find_certificate, make_certificate
from ratings.values.states import Scope

ADA = Profile("club", "arena.example.org:7733", "kma_secret", "ada", Scope.COMPETITOR, "PEM", "AB:CD", "localhost")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "config" / "logins"


def test_a_login_reads_back(directory: Path) -> None:
    save_profile(ADA, directory)
    organiser = replace(ADA, name="other", owner=None, scope=Scope.ORGANISER, certificate=None)
    save_profile(organiser, directory)
    assert load_profile("club", directory) == ADA
    assert load_profile("other", directory) == organiser
    assert list_names(directory) == ["club", "other"]


def test_a_second_login_of_the_name_replaces_the_first(directory: Path) -> None:
    save_profile(ADA, directory)
    save_profile(replace(ADA, token="kma_other"), directory)
    assert load_profile("club", directory).token == "kma_other"
    assert [path.name for path in directory.iterdir()] == ["club.json"]


def test_only_the_user_may_read_it(directory: Path) -> None:
    file = save_profile(ADA, directory)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_login_that_others_may_read_is_refused_with_the_remedy(directory: Path) -> None:
    file = save_profile(ADA, directory)
    file.chmod(0o640)
    with pytest.raises(ProfileError, match=f"chmod 600 {file}"):
        load_profile("club", directory)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2}', '{"schema": 1, "scope": "king"}'])
def test_a_damaged_login_is_told_with_the_remedy(directory: Path, text: str) -> None:
    save_profile(ADA, directory).write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match="log in again"):
        load_profile("club", directory)


def test_an_unknown_login_is_told_with_the_nearest(directory: Path) -> None:
    save_profile(ADA, directory)
    for ask in (load_profile, remove_profile):
        with pytest.raises(UnknownError, match="did you mean 'club'"):
            ask("clbu", directory)


@pytest.mark.parametrize("name", ["", "../club", "a/b", ".hidden", "Club", "x" * 64])
def test_a_name_that_is_no_plain_file_is_refused(directory: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="cannot be the name of a login"):
        save_profile(replace(ADA, name=name), directory)


def test_a_login_that_was_removed_is_gone(directory: Path) -> None:
    save_profile(ADA, directory)
    remove_profile("club", directory)
    assert list_names(directory) == []


def test_a_login_that_cannot_be_stored_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ProfileError, match="was not stored"):
        save_profile(ADA, tmp_path / "file" / "logins")


def test_logins_lie_in_the_users_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_directory() == tmp_path / "kingmaker-arena" / "logins"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return make_certificate(tmp_path_factory.mktemp("tls"), ["arena.example.org", "192.0.2.7"])


@contextmanager
def answering(answer: bytes | None, files: TlsFiles | None = None) -> Iterator[int]:
    """A server that speaks TLS, or answers with these bytes; its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:  # shut down below
                return
            with closing(plain), suppress(OSError):  # a client that does not like the answer breaks it off
                if files is not None:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(files.certificate, files.key)
                    context.wrap_socket(plain, server_side=True).close()
                else:
                    plain.recv(1000)
                    plain.sendall(answer or b"")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_a_certificate_is_valid_for_its_names_and_for_this_machine(files: TlsFiles) -> None:
    command = ["openssl", "x509", "-noout", "-text", "-in", str(files.certificate)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name in ("DNS:arena.example.org", "IP Address:192.0.2.7", "DNS:localhost", "IP Address:127.0.0.1"):
        assert name in text
    check_dates(files.certificate.read_text(encoding="ascii"), datetime.now(UTC) + timedelta(days=824))


def test_the_key_is_private_and_the_certificate_is_kept(files: TlsFiles) -> None:
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600
    before = files.certificate.read_bytes()
    assert make_certificate(files.key.parent, ["another.example.org"]) == find_certificate(files.key.parent) == files
    assert files.certificate.read_bytes() == before


def test_the_fingerprint_is_what_openssl_says(files: TlsFiles) -> None:
    command = ["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", str(files.certificate)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.strip().partition("=")[2] == files.fingerprint
    assert parse_fingerprint(text) == files.fingerprint


@given(st.binary(min_size=32, max_size=32), st.sampled_from(["", ":", " "]), st.booleans())
def test_a_fingerprint_reads_back_however_it_is_written(digest: bytes, between: str, is_small: bool) -> None:
    text = digest.hex(between) if between else digest.hex()
    parsed = parse_fingerprint(text if is_small else text.upper())
    assert bytes.fromhex(parsed.replace(":", "")) == digest


@pytest.mark.parametrize("text", ["", "AB:CD", "x" * 64, "0" * 63, "0" * 65])
def test_a_text_that_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(CertificateError, match="64 hexadecimal digits"):
        parse_fingerprint(text)


def test_the_certificate_of_a_service_is_fetched_and_nobody_vouches_for_it(files: TlsFiles) -> None:
    with answering(None, files) as port:
        shown = fetch_certificate("127.0.0.1", port)
    assert fingerprint_of(shown.certificate.encode()) == files.fingerprint
    assert not shown.is_vouched_for


def test_a_server_without_tls_is_told_apart() -> None:
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port, pytest.raises(CertificateError, match="speak TLS"):
        fetch_certificate("127.0.0.1", port)


def test_an_address_where_nobody_listens_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(UnreachableError, match=f"127.0.0.1:{port}"):
        fetch_certificate("127.0.0.1", port)


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(UnreachableError, match="nothing answers"):
        fetch_certificate("127.0.0.1", listener.getsockname()[1], 0.2)


def test_a_certificate_out_of_its_time_is_told(files: TlsFiles) -> None:
    pem = files.certificate.read_text(encoding="ascii")
    with pytest.raises(CertificateError, match="expired on"):
        check_dates(pem, datetime.now(UTC) + timedelta(days=826))
    with pytest.raises(CertificateError, match="clock"):
        check_dates(pem, datetime.now(UTC) - timedelta(days=1))


def test_a_pinned_certificate_has_a_name_to_ask_for(files: TlsFiles) -> None:
    assert name_in(files.certificate.read_text(encoding="ascii")) == "arena.example.org"


def test_a_host_that_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="no name of a host"):
        make_certificate(tmp_path, ["a" * 64 + ".example.org"])


def test_a_file_that_is_no_certificate_is_told() -> None:
    with pytest.raises(CertificateError, match="PEM"):
        fingerprint_of(b"hello")
