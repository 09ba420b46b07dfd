"""What the Node kit brings along: unchanged, with its licences, and nothing that was fetched from somewhere."""

import hashlib
import re

from tests.support.sources import ROOT

VENDOR = ROOT / "bots" / "node" / "kit" / "vendor"
MOST_BYTES = 400_000


def packages() -> dict[str, str]:
    """The packages in the library with their versions, as the first line of the file tells."""
    first = (VENDOR / "grpc.cjs").read_text(encoding="utf-8").partition("\n")[0]
    return dict(re.findall(r"(@[\w/-]+) ([\d.]+)", first))


def test_the_library_is_what_the_tool_made() -> None:
    digest, name = (VENDOR / "grpc.cjs.sha256").read_text(encoding="utf-8").split()
    data = (VENDOR / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest, "run tools/vendor_grpc_js.sh; nobody edits it"
    assert len(data) < MOST_BYTES


def test_the_tool_names_the_versions_that_are_there() -> None:
    tool = (ROOT / "tools" / "vendor_grpc_js.sh").read_text(encoding="utf-8")
    assert set(packages()) == {"@grpc/grpc-js", "@js-sdsl/ordered-map"}
    for version in packages().values():
        assert f"={version}\n" in tool


def test_the_licences_of_what_is_in_it_are_told() -> None:
    texts = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for package in packages():
        assert f"==== {package} ====" in texts
        assert package in (ROOT / "NOTICE").read_text(encoding="utf-8")
        assert f"| {package} | " in (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")


def test_nothing_of_npm_is_committed() -> None:
    kit = VENDOR.parents[1]
    assert not [*kit.rglob("package-lock.json"), *kit.rglob("node_modules")]
