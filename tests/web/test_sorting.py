"""Tables in a real browser: sorted by keyboard, without the page being loaded again."""

from tests.support.browsing import Watched


def test_a_table_is_sorted_by_keyboard_without_a_reload(page: Watched, address: str) -> None:
    page.page.goto(f"{address}/leaderboards")
    page.page.locator("h2 a").first.click()
    page.page.evaluate("window.isSamePage = true")
    button = page.page.get_by_role("columnheader", name="Bot").get_by_role("button")
    for order in ("ascending", "descending"):
        button.focus()
        page.page.keyboard.press("Enter")
        page.page.locator(f'th[aria-sort="{order}"] #by-bot').wait_for()
    names = page.page.locator("tbody .bot span").all_inner_texts()
    assert names == sorted(names, reverse=True)
    assert "sort=-bot" in page.page.url
    assert page.page.evaluate("window.isSamePage")
