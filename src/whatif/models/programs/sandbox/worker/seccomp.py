"""A filter of system calls for programs, by Linux's seccomp.

It lists the allowed calls: memory, time, reading and writing of open files, and files in the scratch folder. Any other
call ends the program. The numbers are those of the kernel's tables for x86_64 and aarch64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32 = 0x40000000
_PROT_EXEC = 4

# Name -> its number on x86_64 and aarch64, or None where an architecture lacks it.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "lseek": (8, 62),
    "close": (3, 57),
    "dup": (32, 23),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "stat": (4, None),
    "lstat": (6, None),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "open": (2, None),
    "openat": (257, 56),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "ftruncate": (77, 46),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "nanosleep": (35, 101),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getrusage": (98, 165),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# The standard library makes these calls of its own accord; they fail, and the program goes on.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ioctl": (16, 29),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "uname": (63, 160),
    "getrlimit": (97, 163),
    "prlimit64": (302, 261),
    "sched_getaffinity": (204, 123),
}
_MAP = {"mmap": (9, 222), "mprotect": (10, 226)}
_FCNTL, _TGKILL = (72, 25), (234, 131)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL and F_DUPFD_CLOEXEC. F_SETOWN would send signals to other processes.
_FCNTL_COMMANDS = (0, 1, 2, 3, 1030)
_SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 4, 22, 38


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install(process: int, libc: ctypes.CDLL) -> None:
    """Filters the system calls of this process, whose id is given. Raises OSError where the kernel refuses."""
    code = instructions(os.uname().machine, process)
    program = _Program(len(code) // 8, code)
    for option, first, second in (
        (_SET_NO_NEW_PRIVILEGES, 1, 0),
        (_SET_DUMPABLE, 0, 0),
        (_SET_SECCOMP, 2, ctypes.addressof(program)),
    ):
        if libc.prctl(option, ctypes.c_ulong(first), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0)):
            raise OSError(ctypes.get_errno(), f"prctl({option}) was refused")


def instructions(machine: str, process: int) -> bytes:
    """The filter in the kernel's form (`struct sock_filter`). Raises OSError for other machines."""
    if machine not in _ARCHITECTURES or sys.byteorder != "little":
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    column = list(_ARCHITECTURES).index(machine)
    number = [_step(_LOAD, 0)]
    code = [_step(_LOAD, 4), _step(_EQUAL, _ARCHITECTURES[machine], 1, 0), _step(_RETURN, _KILL), *number]
    if machine == "x86_64":
        code += [_step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _KILL)]
    for table, answer in ((_ALLOWED, _ALLOW), (_REFUSED, _ERRNO | errno.EPERM)):
        for numbers in table.values():
            if (call := numbers[column]) is not None:
                code += [_step(_EQUAL, call, 0, 1), _step(_RETURN, answer)]
    for numbers in _MAP.values():  # no new code: memory that can be executed is refused
        checks = [_step(_LOAD, _argument(2)), _step(_ANY_BIT, _PROT_EXEC, 0, 1)]
        code += _block(numbers[column], [*checks, _step(_RETURN, _KILL), _step(_RETURN, _ALLOW)])
    commands = [_step(_LOAD, _argument(1))]
    for command in _FCNTL_COMMANDS:
        commands += [_step(_EQUAL, command, 0, 1), _step(_RETURN, _ALLOW)]
    code += _block(_FCNTL[column], [*commands, _step(_RETURN, _KILL)])
    # abort() sends a signal to its own process; any other process is out of reach.
    itself = [_step(_LOAD, _argument(0)), _step(_EQUAL, process, 0, 1), _step(_RETURN, _ALLOW)]
    code += _block(_TGKILL[column], [*itself, _step(_RETURN, _KILL)])
    return b"".join([*code, _step(_RETURN, _KILL)])


def _block(call: int, steps: list[bytes]) -> list[bytes]:
    return [_step(_EQUAL, call, 0, len(steps)), *steps]


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", operation, if_true, if_false, value)


def _argument(index: int) -> int:
    """Where the lower half of an argument lies in `struct seccomp_data`."""
    return 16 + 8 * index
