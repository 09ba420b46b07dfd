"""The feed is valid Atom with whole addresses; a badge is one picture that loads nothing."""

from xml.etree import ElementTree

from fastapi.testclient import TestClient

from arena.web.api.badges import draw_badge

ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_tells_who_won_and_who_leads(client: TestClient) -> None:
    answer = client.get("/feed.atom", headers={"accept-language": "en"})
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    assert feed.tag == f"{ATOM}feed"
    entries = feed.findall(f"{ATOM}entry")
    titles = [entry.findtext(f"{ATOM}title") or "" for entry in entries]
    assert any("wins cup" in title for title in titles)
    assert any("leads in Rex Romanorum" in title for title in titles)
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))
    for part in (feed, *entries):
        assert part.findtext(f"{ATOM}updated", "").endswith("Z")
        assert part.findtext(f"{ATOM}title")
        for link in part.findall(f"{ATOM}link"):
            assert link.attrib["href"].startswith("http://testserver/")


def test_the_pages_name_the_feed(client: TestClient) -> None:
    assert 'type="application/atom+xml" href="/feed.atom"' in client.get("/").text


def test_a_badge_tells_the_rank_of_a_bot(client: TestClient) -> None:
    answer = client.get("/bots/greedy/badge.svg")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "max-age" in answer.headers["cache-control"]
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "#" in ElementTree.fromstring(answer.content).attrib["aria-label"]
    assert client.get("/bots/nobody/badge.svg").status_code == 404
    assert client.get("/bots/greedy/badge.svg?pool=zz").status_code == 404


def test_a_badge_is_a_picture_whatever_the_bot_is_called() -> None:
    picture = draw_badge('ann/<script>alert("&")</script>\u0000', "#1")
    root = ElementTree.fromstring(picture)
    assert [one.tag for one in root.iter() if "script" in one.tag] == []
    assert "<script>" in root.attrib["aria-label"]
