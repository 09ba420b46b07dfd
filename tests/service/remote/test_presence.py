"""Who is connected, and that whoever depends on it hears of every change, once."""

from arena.service.remote.join_policy import Presence


def test_a_version_is_there_from_when_it_came_until_it_is_gone() -> None:
    changes: list[dict[str, int]] = []
    presence = Presence(lambda: changes.append(dict(presence.connected())))
    presence.set_room("v1", 2)
    presence.set_room("v2", 1)
    presence.remove("v1")
    presence.clear()
    assert changes == [{"v1": 2}, {"v1": 2, "v2": 1}, {"v2": 1}, {}]
    assert not presence.is_connected("v1")


def test_what_changes_nothing_is_not_told() -> None:
    changes: list[str] = []
    presence = Presence(lambda: changes.append("change"))
    presence.set_room("v1", 2)
    presence.set_room("v1", 2)
    presence.remove("v2")
    assert presence.is_connected("v1")
    assert changes == ["change"]
