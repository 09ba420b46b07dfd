"""What the pages show of bots, pools and matches beyond the plain lists is in the API, too."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

API = "/api/v1"


def get(client: TestClient, path: str) -> Any:
    answer = client.get(f"{API}{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def pool(client: TestClient) -> str:
    """The pool of matches of The Foreign King with two seats."""
    found: str = get(client, "/leaderboards?game=foreign_king&seats=2")["boards"][0]["pool"]["pool_id"]
    return found


def test_bots_are_searched_by_a_part_of_their_name(client: TestClient) -> None:
    assert [bot["name"] for bot in get(client, "/bots?name=REE")["items"]] == ["greedy"]
    assert get(client, "/bots?name=nobody")["items"] == []


def test_a_leaderboard_is_sorted_and_narrowed_with_what_its_lines_show(client: TestClient, pool: str) -> None:
    board = get(client, f"/pools/{pool}/leaderboard?sort=bot&limit=2")
    names = [line["row"]["bot"] for line in board["items"]]
    more = get(client, f"/pools/{pool}/leaderboard?sort=bot&limit=2&after={board['next']}")
    assert names + [line["row"]["bot"] for line in more["items"]] == ["first", "greedy", "random"]
    (line,) = get(client, f"/pools/{pool}/leaderboard?name=greed")["items"]
    assert line["form"]["ratings"][-1] == line["row"]["exposure"]
    assert line["form"]["faults"] == 0
    assert get(client, f"/pools/{pool}/leaderboard?owner=nobody")["items"] == []
    assert client.get(f"{API}/pools/{pool}/leaderboard?sort=taste").status_code == 400


def test_a_bot_has_its_places_and_its_record_in_a_pool(client: TestClient, pool: str) -> None:
    places = get(client, "/bots/greedy/standings")
    (place,) = [one for one in places if one["pool"]["pool_id"] == pool]
    record = get(client, f"/bots/greedy@{place['content_hash']}/record?pool={pool}")
    assert record["curve"][-1] == {key: place[key] for key in ("matches", "mu", "sigma")}
    assert {one["bot"] for one in record["opponents"]} == {"first", "random"}
    assert sum(seat["matches"] for seat in record["seats"]) == place["matches"]
    assert record["faults"] == []


def test_a_match_is_told_in_words_and_checked(client: TestClient) -> None:
    match = get(client, "/matches?tournament=cup&limit=1")["items"][0]
    story = client.get(f"{API}/matches/{match['id']}/story", params={"lang": "de"})
    assert story.headers["etag"]
    told = story.json()
    assert told["language"] == "de"
    assert len(told["frames"]) == match["plies"] + 1
    assert told == client.get(f"/matches/{match['id']}/frames.json?lang=de").json()
    plain = client.get(f"{API}/matches/{match['id']}/story?lang=de", headers={"accept-encoding": "identity"})
    assert plain.json() == told
    assert get(client, f"/matches/{match['id']}/check") == {
        "match_id": match["id"],
        "problems": [],
        "removed_at_us": None,
    }


def test_comparisons_are_listed_and_nothing_else_has_a_walk(client: TestClient) -> None:
    assert get(client, "/comparisons?new=greedy&old=random") == []
    answer = client.get(f"{API}/comparisons/cup/walk")
    assert answer.status_code == 400
    assert "cup" in answer.json()["error"]["message"]
