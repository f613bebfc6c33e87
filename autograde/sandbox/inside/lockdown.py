"""The inner lock: what a fresh process gives up before it runs one student's code.

The outer one (bubblewrap, see `sandbox.py`) holds the files and the network away from all of them; this one holds
students apart from one another and sets the limits. Linux only; calls the kernel through the C library. Runs
inside the sandbox, once per student, and never gives anything back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
from functools import lru_cache
from pathlib import Path

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x20000, 0x8000000, 0x10000000, 0x20000000
NEW_SPACES = 0x7E020000  # all CLONE_NEW… flags that clone takes
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38

REFUSED = {
    # name: numbers on (x86_64, aarch64). Everything that makes namespaces, mounts, memory that no limit counts,
    # sockets, or that reaches into other processes, other cores and the kernel.
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "mq_open": (240, 180), "socket": (41, 198), "kexec_load": (246, 104),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "swapon": (167, 224), "reboot": (169, 142),
    "fanotify_init": (300, 262), "personality": (135, 92), "vmsplice": (278, 75),
    "sched_setaffinity": (203, 122),
}  # fmt: skip
MACHINES = {"x86_64": (0, 0xC000003E, 56), "aarch64": (1, 0xC00000B7, 220)}  # column, arch, clone
CLONE3 = 435

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *values: int) -> None:
    """Raises OSError if the kernel refuses."""
    words = [ctypes.c_ulong(v) for v in (*values, 0, 0, 0, 0)[:4]]
    _checked(_libc.prctl(ctypes.c_int(option), *words), "prctl")


def die_with_parent() -> None:
    """End this process when the one that started it ends."""
    prctl(PR_SET_PDEATHSIG, 9)


def adopt_orphans() -> None:
    """Become the parent of processes below this one that lose their own."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def become(uid: int) -> None:
    """Give up root for good. Raises OSError if that is not possible."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    prctl(PR_SET_DUMPABLE, 1)  # or this process could not write its own uid_map


def own_spaces() -> None:
    """New namespaces for users, mounts, messages between processes and, for the next child, process numbers."""
    uid, gid = os.getuid(), os.getgid()
    _checked(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def own_files(disk: int, inodes: int = 1024) -> None:
    """A new, empty /tmp of `disk` bytes, the only place to write; no /proc."""
    flags = MS_NOSUID | MS_NODEV
    _mount("/tmp", flags, f"size={disk},nr_inodes={inodes},mode=0700")
    _mount("/proc", flags | MS_NOEXEC | MS_RDONLY, "size=4096,nr_inodes=2,mode=0555")
    os.chdir("/tmp")


def limit(*, memory: int, processes: int, cpu: int, file: int) -> None:
    """Limits that hold for this process and all it starts."""
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        _, ceiling = resource.getrlimit(what)
        if ceiling != resource.RLIM_INFINITY:
            most = min(most, ceiling)
        resource.setrlimit(what, (most, most))


def drop_capabilities() -> None:
    """No capability, now or after any exec."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def refuse_calls() -> bool:
    """Install the system call filter; False on a machine whose numbers are not known here."""
    program = filter_program(platform.machine())
    if not program:
        return False
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    head = Program(len(program) // 8, ctypes.addressof(code))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(head))
    return True


@lru_cache
def filter_program(machine: str) -> bytes:
    """A classic BPF program: refused calls fail with EPERM, clone3 with ENOSYS (so that clone is used)."""
    if machine not in MACHINES:
        return b""
    column, arch, clone = MACHINES[machine]
    load, equal, above, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill, fail = 0x7FFF0000, 0x80000000, 0x00050000
    forbidden = [numbers[column] for numbers in REFUSED.values()]
    steps = [
        (load, 0, 0, 4),
        (equal, 1, 0, arch),
        (answer, 0, 0, kill),
        (load, 0, 0, 0),
        (above, 0, 1, 0x40000000),  # the calls of the x32 variant
        (answer, 0, 0, fail | errno.ENOSYS),
        (equal, 0, 1, CLONE3),
        (answer, 0, 0, fail | errno.ENOSYS),
        *((equal, len(forbidden) - k, 0, number) for k, number in enumerate(forbidden)),
        (0x05, 0, 0, 1),  # none of them: jump over the next
        (answer, 0, 0, fail | errno.EPERM),
        (equal, 0, 3, clone),
        (load, 0, 0, 16),
        (any_bit, 0, 1, NEW_SPACES),
        (answer, 0, 0, fail | errno.EPERM),
        (answer, 0, 0, allow),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _mount(where: str, flags: int, options: str) -> None:
    done = _libc.mount(b"none", where.encode(), b"tmpfs", ctypes.c_ulong(flags), options.encode())
    _checked(done, f"mount of {where}")


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
