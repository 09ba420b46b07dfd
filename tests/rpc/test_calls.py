"""Every call of the owners' services fits the method of the interface that it stands for."""

from google.protobuf import descriptor_pool

from arena.rpc.calls import PACKAGE, SERVICES, UPLOAD, all_rpcs
from ratings.values.page import MOST_LIMIT
from tests.wire.surface import descriptors


def test_request_and_response_are_what_the_method_takes_and_returns() -> None:
    for rpc in all_rpcs().values():
        rpc.check()
        method = descriptor_pool.Default().FindMethodByName(rpc.path[1:].replace("/", "."))
        assert method.server_streaming is rpc.is_stream, rpc.path
        assert not method.client_streaming, rpc.path


def test_every_call_of_every_service_is_derived_from_the_interface_but_one() -> None:
    declared = {
        f"/{service.full_name}/{method.name}"
        for file in descriptors()
        for service in file.services_by_name.values()
        for method in service.methods
        if service.name in SERVICES
    }
    assert declared == {*all_rpcs(), UPLOAD}
    assert all(path.startswith(f"/{PACKAGE}.") for path in declared)


def test_what_is_not_sent_is_none_or_has_its_default_and_no_page_is_longer_than_allowed() -> None:
    rpc = all_rpcs()["/arena.v1.BotService/ListBots"]
    empty = rpc.encode_request({"limit": None, "after": None})
    assert rpc.decode_request(empty) == {"limit": MOST_LIMIT, "after": None}
    assert rpc.decode_request(rpc.encode_request({"limit": 10_000, "after": None}))["limit"] == MOST_LIMIT
    full = rpc.encode_request({"limit": 7, "after": "cursor"})
    assert rpc.decode_request(full) == {"limit": 7, "after": "cursor"}
    rpc = all_rpcs()["/arena.v1.LeaderboardService/GetCrosstable"]
    assert rpc.decode_request(rpc.encode_request({"tournament": None, "pool": None, "limit": 0}))["limit"] == 50
