"""Where control groups are mounted and in which of them we are, read from what real machines show."""

from arena.hosting.cgroups.hierarchies import Hierarchy, own_directory, parse_membership, parse_mounts

SYSTEMD = "26 25 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot"
FIRST_VERSION = """\
30 24 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
34 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
35 30 0:31 /docker/c0ffee /sys/fs/cgroup/mem\\040ory rw,nosuid - cgroup cgroup rw,memory
36 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"""


def test_the_one_tree_of_version_2_is_found_with_our_place_in_it() -> None:
    (tree,) = parse_mounts(SYSTEMD)
    ours = parse_membership("0::/user.slice/user-1000.slice/run-r1.scope")
    assert own_directory(tree, ours) == "/sys/fs/cgroup/user.slice/user-1000.slice/run-r1.scope"


def test_the_trees_of_version_1_have_controllers_and_may_be_shown_in_part() -> None:
    both, memory, unified = parse_mounts(FIRST_VERSION)
    ours = parse_membership("4:cpu,cpuacct:/a\n3:memory:/docker/c0ffee/b\n0::/")
    assert own_directory(both, ours) == "/sys/fs/cgroup/cpu,cpuacct/a"
    assert {"cpu", "cpuacct"} <= set(both.controllers)
    assert own_directory(memory, ours) == "/sys/fs/cgroup/mem ory/b"
    assert own_directory(unified, ours) == "/sys/fs/cgroup/unified"


def test_a_group_outside_what_is_shown_has_no_directory() -> None:
    part = Hierarchy("/sys/fs/cgroup", "/docker/c0ffee", ("memory",))
    assert own_directory(part, {"memory": "/docker/c0ffee"}) == "/sys/fs/cgroup"
    for elsewhere in ("/docker/c0ffee2", "/", "/docker/c0ffee/../x"):
        assert own_directory(part, {"memory": elsewhere}) is None
    assert own_directory(part, {"cpu": "/docker/c0ffee"}) is None
