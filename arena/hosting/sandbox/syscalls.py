"""Lists the system calls that a sandboxed bot is refused, with their numbers. Tables only.

The numbers are the kernel's own (x86_64: arch/x86/entry/syscalls/syscall_64.tbl, aarch64: include/uapi/asm-generic/
unistd.h); they never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """What differs between kinds of processor."""

    audit_arch: int
    """AUDIT_ARCH_* of linux/audit.h: what seccomp calls this processor."""
    column: int
    """The position of its number in the pairs of the tables."""
    foreign_from: int | None
    """From this number on calls belong to another ABI of the same processor (x32), which no rule would match."""


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(audit_arch=0xC000003E, column=0, foreign_from=0x40000000),
    "aarch64": Machine(audit_arch=0xC00000B7, column=1, foreign_from=None),
}

LAST_KNOWN = 462
"""mseal, of Linux 6.10. Newer calls are refused until somebody has reviewed them."""

Numbers = Mapping[str, tuple[int | None, int | None]]

REFUSED: Numbers = {
    # Looking into other processes and stopping them.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Other namespaces and mounts.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # Parts of the kernel with a history of vulnerabilities and no use for a bot.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "lookup_dcookie": (212, 18),
    "fanotify_init": (300, 262),
    "cachestat": (451, 451),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # What only an administrator does.
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "create_module": (174, None),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "query_module": (178, None),
    "get_kernel_syms": (177, None),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "_sysctl": (156, None),
    "nfsservctl": (180, 42),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    # Leaving the core and priority it was given: a helper at idle priority could compute where no clock looks.
    "setpriority": (141, 140),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    # Weighing on the whole machine: its disks are written out, one call after the other.
    "sync": (162, 81),
    "syncfs": (306, 267),
    # Memory of the kernel, kept with an open file or a process, by the hundred megabytes.
    "seccomp": (317, 277),
}
"""Calls that are answered with EPERM."""

SESSIONS: Numbers = {"setsid": (112, 157)}
"""Refused with EPERM where the kernel shares the processor out by sessions: many would have many shares."""

LOCKS: Numbers = {"flock": (73, 32)}
"""Answered with EOPNOTSUPP where a lock on a file of the system would speak to another bot."""

UNSUPPORTED: Numbers = {
    # Access lists in a private directory are memory of the kernel, 64 KiB a file.
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
}
"""Calls that are answered with EOPNOTSUPP: programs that copy files try them, and do without."""

PAGES: Numbers = {
    # They put pages of files into pipes and sockets. A whole page stays for one byte of it, in no process and no file.
    "splice": (275, 76),
    "tee": (276, 77),
    "sendfile": (40, 71),
}
"""Calls that are answered with EINVAL, as for files that cannot do it: programs read and write instead."""

ABSENT: Numbers = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Its flags lie in memory, which a filter cannot read; every C library falls back to clone.
    "clone3": (435, 435),
    # Memory that belongs to no process, where no watchdog finds it.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # A page that was put into a pipe stays, and with it all of a huge one, when its process lets it go.
    "vmsplice": (278, 75),
    "landlock_create_ruleset": (444, 444),
    # Both are counted for the whole machine or its user, and run out for everybody.
    "io_setup": (206, 0),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
}
"""Calls that are answered with ENOSYS: programs try them, and do without when they do not exist."""

EXAMINED: Numbers = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "ioctl": (16, 29),
    "personality": (135, 92),
    "mmap": (9, 222),
    "madvise": (28, 233),
    "fcntl": (72, 25),
    "prctl": (157, 167),
    "close_range": (436, 436),
    "setsockopt": (54, 208),
}
"""Calls that are refused only with certain arguments."""
