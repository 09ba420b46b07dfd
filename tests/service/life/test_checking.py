from pathlib import Path

from arena.service.home import make_home
from arena.service.life.checking import check
from arena.service.settings.reading import load_settings


def test_a_check_tells_that_bots_of_owners_could_not_run(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    checked = check(home, load_settings(home.settings_file, {"service.sandbox": "none"}, {}))
    assert checked.problems == ()
    (note,) = checked.notes
    assert note.startswith("bots of owners would wait: ")
    assert "leave out `--sandbox none`" in note
