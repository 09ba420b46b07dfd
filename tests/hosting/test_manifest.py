import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.hosting.manifest import (
    BotManifest,
    ManifestError,
    check_for_strangers,
    load_manifest,
    parse_manifest,
    resolve_command,
)
from tests.support.machines import run_on_small_disk
from tests.support.texts import CHARACTERS

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
LEAST = 'schema = 1\nname = "my-bot"\ncommand = ["python", "main.py"]\n'


def write_bot(directory: Path, manifest: str = LEAST) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "bot.toml").write_text(manifest, encoding="utf-8")
    (directory / "main.py").write_text("print('ready')\n", encoding="utf-8")
    return directory


def write_program(path: Path) -> None:
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)


def refusal(directory: Path) -> str:
    with pytest.raises(ManifestError) as caught:
        load_manifest(directory)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_least_manifest_has_the_documented_defaults(tmp_path: Path) -> None:
    assert load_manifest(write_bot(tmp_path)) == BotManifest(
        name="my-bot", command=("python", "main.py"), games=("*",), memory_mb=512, deterministic=False, runtime="arena"
    )


def test_a_full_manifest_is_read(tmp_path: Path) -> None:
    extra = 'games = ["foreign_king"]\nmemory_mb = 256\ndeterministic = true\nruntime = "arena"\n'
    manifest = load_manifest(write_bot(tmp_path, LEAST + extra))
    assert (manifest.games, manifest.memory_mb, manifest.deterministic) == (("foreign_king",), 256, True)


def test_a_bot_may_state_which_rules_it_plays(tmp_path: Path) -> None:
    manifest = load_manifest(write_bot(tmp_path, LEAST + '[rules]\nrex_romanorum = "2"\nforeign_king = "1"\n'))
    assert manifest.rules == (("foreign_king", "1"), ("rex_romanorum", "2"))
    assert manifest.to_json()["rules"] == {"foreign_king": "1", "rex_romanorum": "2"}
    assert BotManifest.from_json(manifest.to_json()) == manifest


def test_a_bot_may_speak_in_lines(tmp_path: Path) -> None:
    manifest = load_manifest(write_bot(tmp_path, f'{LEAST}protocol = "lines"\n'))
    assert manifest.protocol == "lines"
    assert manifest.to_json()["protocol"] == "lines"
    assert BotManifest.from_json(manifest.to_json()) == manifest


def test_the_usual_protocol_is_not_stored_so_that_older_manifests_stay_the_same(tmp_path: Path) -> None:
    usual = write_bot(tmp_path / "usual", f'{LEAST}protocol = "protobuf"\n')
    silent = write_bot(tmp_path / "silent")
    assert load_manifest(usual) == load_manifest(silent)
    assert "protocol" not in load_manifest(usual).to_json()


@pytest.mark.parametrize("rules", ['"1"', "{foreign_king = 1}", '{"Foreign King" = "1"}', "[]"])
def test_rules_that_are_none_are_refused(tmp_path: Path, rules: str) -> None:
    assert "rules " in refusal(write_bot(tmp_path, f"{LEAST}rules = {rules}\n"))


@pytest.mark.parametrize(
    ("games", "foreign_king"), [(("*",), True), (("foreign_king",), True), (("rex_romanorum",), False)]
)
def test_a_bot_plays_the_games_it_names(games: tuple[str, ...], foreign_king: bool) -> None:
    assert BotManifest("b", ("python",), games).plays("foreign_king") is foreign_king


def test_json_brings_the_manifest_back(tmp_path: Path) -> None:
    manifest = load_manifest(write_bot(tmp_path, LEAST + "deterministic = true\n"))
    assert BotManifest.from_json(manifest.to_json()) == manifest


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("memory = 5", "unknown key 'memory'; did you mean 'memory_mb'?"),
        ("zzz = 5", "unknown key 'zzz'; the keys are schema, name, command, games"),
        ("[limits]\nx = 1", "unknown key 'limits'"),
        ("memory_mb = 1", "memory_mb is 1; use a whole number 16 to 65536"),
        ("memory_mb = true", "memory_mb is True; use a whole number"),
        ('memory_mb = "512"', "memory_mb is '512'; use a whole number"),
        ("deterministic = 1", "deterministic is 1; use true or false"),
        ('runtime = "My Runtime"', "runtime is 'My Runtime', which no runtime is called; `arena runtime list`"),
        ("build = []", 'build is empty; name the program first, like build = ["make"]'),
        ('build = "make"', "build is 'make'; write a list of words, like build = [\"make\"]"),
        ("builds = []", "unknown key 'builds'; did you mean 'build'?"),
        ('protocol = "line"', "protocol is 'line'; use 'protobuf' or 'lines'; did you mean 'lines'?"),
        ('protocol = "xml"', "protocol is 'xml'; use 'protobuf' or 'lines'"),
        ("protocol = 1", "protocol is 1; use 'protobuf' or 'lines'"),
        ("games = []", "games is []; write a list of names"),
        ('games = "foreign_king"', "games is 'foreign_king'; write a list of names"),
        ('games = ["Foreign King"]', "games has 'Foreign King', which no game is called; `arena game list`"),
        ("games = [1]", "games has 1, which no game is called"),
    ],
)
def test_a_wrong_line_is_named_with_its_remedy(tmp_path: Path, line: str, complaint: str) -> None:
    message = refusal(write_bot(tmp_path, f"{LEAST}{line}\n"))
    assert message.startswith(f"{tmp_path}/bot.toml: {complaint}")


@pytest.mark.parametrize(
    ("manifest", "complaint"),
    [
        ("", "the key 'schema' is missing"),
        ('schema = 1\ncommand = ["x"]', "the key 'name' is missing"),
        ('schema = 1\nname = "x"', "the key 'command' is missing"),
        (LEAST.replace("schema = 1", "schema = 2"), "schema is 2, and this arena reads schema 1"),
        (LEAST.replace("schema = 1", "schema = true"), "schema is True"),
        (LEAST.replace("my-bot", "My Bot"), "name is 'My Bot'; use 1 to 40 of a-z"),
        (LEAST.replace("my-bot", "é"), "name is 'é'"),
        (LEAST.replace("my-bot", "b" * 41), "name is 'bbbb"),
        (LEAST.replace('"my-bot"', "7"), "name is 7"),
        (LEAST.replace('["python", "main.py"]', "[]"), "command is empty; name the program first"),
        (LEAST.replace('["python", "main.py"]', '[""]'), "command is empty"),
        (LEAST.replace('["python", "main.py"]', '"python main.py"'), "command is 'python main.py'; write a list"),
        (LEAST.replace("main.py", "a\\u0000b"), "command has over 100 words or a NUL in one"),
        (LEAST.replace("main.py", "mein.py"), "command runs 'mein.py', and there is no such file"),
        (
            LEAST.replace('"python"', '"no-such-program"'),
            "the program 'no-such-program' is neither in the directory nor",
        ),
        (LEAST + 'runtime = "bundled"\n', "runtime is 'bundled', and there is no file 'python' in the directory"),
        ("schema = ", "is not valid TOML: Invalid value (at"),
        ("x = 1\nx = 2", "is not valid TOML: Cannot overwrite a value"),
        ("a" * 70_000, "is longer than 65536 bytes"),
        ("x = " + "[" * 5_000, "is not valid TOML"),
    ],
)
def test_a_wrong_manifest_is_refused_in_one_line(tmp_path: Path, manifest: str, complaint: str) -> None:
    message = refusal(write_bot(tmp_path, manifest))
    assert message.startswith(f"{tmp_path}/bot.toml: {complaint}")


def test_a_manifest_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    plain = load_manifest(write_bot(tmp_path))
    assert load_manifest(write_bot(tmp_path, f"\ufeff{LEAST}")) == plain


def test_a_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    write_bot(tmp_path)
    (tmp_path / "bot.toml").write_bytes(b"name = '\xff'")
    assert "is not UTF-8 text (byte 8); save it as UTF-8" in refusal(tmp_path)
    (tmp_path / "bot.toml").write_bytes(LEAST.encode("utf-16"))
    assert "is not UTF-8 text (byte 0); save it as UTF-8" in refusal(tmp_path)


def test_a_directory_without_a_manifest_shows_what_to_write(tmp_path: Path) -> None:
    assert refusal(tmp_path).startswith(f"{tmp_path}: there is no bot.toml; write one with schema = 1, name =")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["Bot.toml"], "there is no bot.toml, but 'Bot.toml'; rename that to bot.toml, in small letters"),
        (["bot.toml.txt"], "there is no bot.toml, but 'bot.toml.txt'; rename that to bot.toml"),
        (["deep/owl/bot.toml"], "there is no bot.toml, but one in 'deep/owl'; take that directory"),
        (["owl/bot.toml", "fox/bot.toml"], "there is no bot.toml, but one each in 'fox', 'owl'; take one of these"),
        ([".git/bot.toml", "1/2/3/4/5/bot.toml", "toml.bot"], "there is no bot.toml; write one with"),
        ([f"{number}/bot.toml" for number in range(9)], "one each in '0', '1', '2', '3', '4'; take one of these"),
    ],
)
def test_a_directory_without_a_manifest_is_told_what_lies_there_in_its_place(
    names: list[str], why: str, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(LEAST, encoding="utf-8")
    assert why in refusal(tmp_path)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere").startswith(f"{tmp_path}/nowhere: there is no such directory")


def test_a_file_is_no_bot(tmp_path: Path) -> None:
    write_bot(tmp_path)
    assert "a bot is a directory with a bot.toml, and this is a file" in refusal(tmp_path / "main.py")


@pytest.mark.parametrize("word", ["python", "python3"])
def test_python_is_the_arenas_own_interpreter(tmp_path: Path, word: str) -> None:
    manifest = load_manifest(write_bot(tmp_path, LEAST.replace('"python"', f'"{word}"')))
    assert resolve_command(manifest, tmp_path) == (sys.executable, str(tmp_path / "main.py"))


def test_files_of_the_bot_become_full_paths_and_other_words_stay(tmp_path: Path) -> None:
    words = '"-u", "main.py", "--net", "nets/best.bin", "--mode", "fast"'
    write_bot(tmp_path, LEAST.replace('"main.py"', words))
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "best.bin").touch()
    command = resolve_command(load_manifest(tmp_path), tmp_path)
    net = str(tmp_path / "nets" / "best.bin")
    assert command[1:] == ("-u", str(tmp_path / "main.py"), "--net", net, "--mode", "fast")


def test_a_module_needs_no_script(tmp_path: Path) -> None:
    manifest = load_manifest(write_bot(tmp_path, LEAST.replace('"main.py"', '"-m", "my.bot"')))
    assert resolve_command(manifest, tmp_path) == (sys.executable, "-m", "my.bot")


def test_a_program_in_the_directory_comes_before_one_on_path(tmp_path: Path) -> None:
    write_bot(tmp_path, 'schema = 1\nname = "b"\ncommand = ["sh", "-x"]\n')
    write_program(tmp_path / "sh")
    assert resolve_command(load_manifest(tmp_path), tmp_path) == (str(tmp_path / "sh"), "-x")


def test_a_program_on_path_is_found(tmp_path: Path) -> None:
    manifest = load_manifest(write_bot(tmp_path, LEAST.replace('"python"', '"sh"')))
    program = resolve_command(manifest, tmp_path)[0]
    assert program.endswith("/sh")
    assert Path(program).is_absolute()


def test_a_bundled_program_lies_in_the_directory(tmp_path: Path) -> None:
    write_bot(tmp_path, 'schema = 1\nname = "b"\ncommand = ["./bin/bot"]\nruntime = "bundled"\n')
    (tmp_path / "bin").mkdir()
    write_program(tmp_path / "bin" / "bot")
    assert resolve_command(load_manifest(tmp_path), tmp_path) == (str(tmp_path / "bin" / "bot"),)


def test_a_program_that_may_not_be_executed_is_refused(tmp_path: Path) -> None:
    write_bot(tmp_path, 'schema = 1\nname = "b"\ncommand = ["./bot"]\n')
    (tmp_path / "bot").write_text("x", encoding="utf-8")
    assert "the program './bot' is not executable; run chmod +x on it" in refusal(tmp_path)


def test_a_program_outside_the_directory_is_not_bundled(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", 'schema = 1\nname = "b"\ncommand = ["../bot.sh"]\nruntime = "bundled"\n')
    write_program(tmp_path / "bot.sh")
    assert "there is no file '../bot.sh' in the directory" in refusal(tmp_path / "bot")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(CHARACTERS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    max_leaves=5,
)
keys = st.sampled_from(
    ["schema", "name", "command", "games", "memory_mb", "deterministic", "runtime", "build", "protocol"]
) | st.text(CHARACTERS)


@settings(max_examples=40)
@given(st.dictionaries(keys, values), st.booleans())
def test_whatever_it_holds_a_manifest_is_read_or_refused_in_one_line(data: dict[str, Any], complete: bool) -> None:
    if complete:
        data = {"schema": 1, "name": "b", "command": ["python"], **data}
    try:
        manifest = parse_manifest(data, place="x")
    except ManifestError as error:
        complaint = str(error)
    else:
        complaint = ""
        assert BotManifest.from_json(manifest.to_json()) == manifest
    assert complaint.isprintable()


class TestStrangers:
    """What a bot that has an owner may not ask for, because there is none in the sandbox."""

    @pytest.mark.parametrize("command", ['["python", "main.py"]', '["run"]', '["sh", "run"]'])
    def test_programs_that_exist_in_the_sandbox_are_taken(
        self, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", SYSTEM_PATH)
        directory = write_bot(tmp_path / "bot", f'schema = 1\nname = "b"\ncommand = {command}\n')
        write_program(directory / "run")
        check_for_strangers(load_manifest(directory), directory)

    def test_a_program_elsewhere_on_this_machine_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_program(tmp_path / "engine")
        monkeypatch.setenv("PATH", str(tmp_path))
        directory = write_bot(tmp_path / "bot", 'schema = 1\nname = "b"\ncommand = ["engine"]\n')
        with pytest.raises(ManifestError, match="engine does not exist in the sandbox; put it into the directory"):
            check_for_strangers(load_manifest(directory), directory)

    def test_memory_is_capped(self, tmp_path: Path) -> None:
        directory = write_bot(tmp_path, f"{LEAST}memory_mb = 4096\n")
        with pytest.raises(ManifestError, match="memory_mb is 4096, and bots that have an owner may use 2048"):
            check_for_strangers(load_manifest(directory), directory)


def test_an_interpreter_of_the_system_needs_no_runtime_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", SYSTEM_PATH)
    text = 'schema = 1\nname = "my-bot"\ncommand = ["sh", "main.sh"]\n'
    directory = write_bot(tmp_path, text)
    (directory / "main.sh").touch()
    manifest = load_manifest(directory)
    assert Path(resolve_command(manifest, directory)[0]).name == "sh"
    check_for_strangers(manifest, directory)
    bundled = write_bot(tmp_path / "bundled", text + 'runtime = "bundled"\n')
    assert "runtime is 'bundled', and there is no file 'sh' in the directory" in refusal(bundled)


SCRIPT = LEAST.replace('["python", "main.py"]', '["./run.sh"]')


def write_script(directory: Path, first: bytes) -> Path:
    bot = write_bot(directory, SCRIPT)
    (bot / "run.sh").write_bytes(first + b"true\n")
    (bot / "run.sh").chmod(0o755)
    return bot


def test_a_script_with_line_ends_of_windows_is_refused_with_what_to_do(tmp_path: Path) -> None:
    bot = write_script(tmp_path / "bot", b"#!/bin/sh\r\n")
    assert "the first line of './run.sh' ends as on Windows" in refusal(bot)
    for first in (b"#!/bin/sh\n", b"\r\n", b"#!" + b"x" * 300 + b"\r\n"):
        load_manifest(write_script(bot, first))


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"\xef\xbb\xbf#!/bin/sh\n", "'./run.sh' begins with a byte-order mark"),
        (b"MZ\x90\0", "'./run.sh' is a program for Windows or macOS; put one that is built for Linux in its place"),
        (bytes.fromhex("cffaedfe0c000001"), "'./run.sh' is a program for Windows or macOS"),
        (bytes.fromhex("cafebabe00000002"), "'./run.sh' is a program for Windows or macOS"),
    ],
)
def test_a_program_from_another_system_is_refused_with_what_to_do(first: bytes, words: str, tmp_path: Path) -> None:
    assert words in refusal(write_script(tmp_path, first))


@pytest.mark.parametrize(
    ("command", "file", "words"),
    [
        ('["python", "src\\\\main.py"]', "src/main.py", "no such file in the directory; write / in place of \\"),
        ('[".\\\\bin\\\\bot"]', "bin/bot", "nor on PATH; write / in place of \\"),
        (
            '["python", "l\u00f6sung.py"]',
            "lo\u0308sung.py",
            "in the directory; a file there has the same name, with accents",
        ),
        ('["./lo\u0308sung"]', "l\u00f6sung", "nor on PATH; a file there has the same name, with accents"),
    ],
)
def test_a_name_that_is_spelled_as_on_another_system_is_explained(
    command: str, file: str, words: str, tmp_path: Path
) -> None:
    bot = write_bot(tmp_path, LEAST.replace('["python", "main.py"]', command))
    (bot / file).parent.mkdir(exist_ok=True)
    (bot / file).touch()
    assert words in refusal(bot)


NO_EXEC = """
import asyncio, shutil, sys
from pathlib import Path
from arena.hosting.archive.checking import add_archive
from arena.hosting.archive.packing import pack
from arena.hosting.manifest import load_manifest
from arena.hosting.builder.build import build_here
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import NONE, SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore

bot, disk = map(Path, sys.argv[1:])
shutil.copytree(bot, disk / "bot")
with (disk / "archive").open("w+b") as file:
    content_hash = pack(bot, file).content_hash
    store = VersionStore(disk / "store")
    programs = StoredPrograms(store, SandboxPolicy(NONE), RuntimeCatalog(cache=disk / "cache"), disk / "builds")
    adding = lambda: add_archive(store, file, content_hash)
    building = lambda: asyncio.run(build_here(programs, store.add(bot.with_name("built")), has_owner=False))
    for act in (lambda: load_manifest(disk / "bot"), lambda: store.add(bot), adding, building):
        try:
            act()
        except Exception as error:
            print(type(error).__name__, error)
"""


@pytest.mark.host_fault("file-system-without-programs")
def test_a_file_system_that_starts_nothing_is_named(tmp_path: Path) -> None:
    bot, disk = write_script(tmp_path / "bot", b"#!/bin/sh\n"), tmp_path / "disk"
    write_bot(tmp_path / "built", LEAST.replace("python", "./made") + 'build = ["cp", "main.py", "made"]\n')
    words = [sys.executable, "-c", NO_EXEC, str(bot), str(disk)]
    told = run_on_small_disk(disk, 1000, words, options="noexec")
    assert [line.split()[0] for line in told] == ["NoExecError", "StoreError", "StoreError", "StorageFailedError"]
    assert "bot.toml: the program 'made' lies on a file system from which nothing may be started" in told.pop()
    for line in told:
        assert "the program 'run.sh' lies on a file system from which nothing may be started (mounted noexec)" in line
