"""The sandbox: what student code can reach, how much it can use, and what is left of it afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from autograde.errors import CourseError
from autograde.sandbox.inside import lockdown
from autograde.sandbox.inside.shell import Shell, lines_of, python_of
from autograde.sandbox.inside.wire import Batch, ClosedError, LateError
from autograde.sandbox.sandbox import Sandbox, SandboxError, command
from autograde.settings import Limits

SETUP = ["import numpy as np"]
LIMITS = Limits(memory=512 << 20, processes=8, disk=4 << 20, submission_seconds=20)


@pytest.fixture(scope="module")
def warm():
    with Sandbox(SETUP, limits=LIMITS) as sandbox:
        yield sandbox


def run(sandbox: Sandbox, source: str, seconds: float = 10.0):
    """Define f in a fresh process, call it, and give its answer."""
    with sandbox.student_process() as student_process:
        return talk(student_process, source, seconds)


def talk(student_process, source: str, seconds: float = 10.0):
    channel, deadline = student_process.channel, time.monotonic() + seconds
    asks = Batch(channel.caps)
    asks.add("cell", "f", textwrap.dedent(source))
    asks.add("call", "f", [], {})
    channel.send(asks.frame("asks", 1), deadline)
    answers: list = []
    while len(answers) < 2:  # they come in one frame, if both fit
        answers += channel.read(channel.receive_frame(deadline)).values
    ran, answer = answers
    assert (ran.kind, ran.values[0]) == ("ran", None)
    return answer


def value(sandbox: Sandbox, source: str):
    answer = run(sandbox, source)
    assert answer.kind == "value", answer
    return answer.values[0]


def raised(sandbox: Sandbox, source: str) -> str:
    answer = run(sandbox, source)
    assert answer.kind == "raised", answer
    return answer.values[0]


# ------------------------------------------------------------------------ what can be reached
def test_a_student_stays_on_the_core_of_its_worker(warm):
    source = "def f():\n    import os\n    os.sched_setaffinity(0, {0})"
    assert raised(warm, source) == "PermissionError"


def test_no_network(warm):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), 1).close()  # it can be reached from here
        source = f"""
        def f():
            import socket
            socket.create_connection(("127.0.0.1", {port}), 1)"""
        assert raised(warm, source) == "PermissionError"


def test_no_files_of_the_course(warm, tmp_path):
    secret = tmp_path / "hidden.ipynb"
    secret.write_text("hidden tests")
    tmp_path.chmod(0o755)
    here = Path(__file__).resolve()
    for path in (secret, here, here.parent.parent / "solutions", "/etc/passwd", "/etc/shadow"):
        assert Path(path).exists()
        assert (
            value(warm, f"import os\ndef f():\n    return os.path.exists({str(path)!r})") is False
        )


def test_nothing_can_be_written_but_the_temporary_folder(warm):
    source = """
    import os
    def f():
        done = []
        for folder, below, _ in os.walk("/"):
            if folder.count("/") > 4:
                below.clear()
            try:
                open(os.path.join(folder, "mine"), "w").close()
                done.append(folder)
            except OSError:
                pass
        return done"""
    assert value(warm, source) == ["/tmp"]


def test_files_do_not_outlive_the_student(warm):
    assert value(warm, "def f():\n    return open('/tmp/note', 'w').write('psst')") == 4
    assert raised(warm, "def f():\n    return open('/tmp/note').read()") == "FileNotFoundError"


def test_no_other_process_is_visible(warm):
    source = """
    import os
    def f():
        alive = []
        for pid in range(1, 3000):
            try:
                os.kill(pid, 0)
                alive.append(pid)
            except OSError:
                pass
        return alive, os.getpid(), os.listdir("/proc")"""
    assert value(warm, source) == ([1], 1, [])


def test_it_is_not_root_and_cannot_become_root(warm):
    assert value(warm, "import os\ndef f():\n    return [os.getuid(), os.geteuid()]") != [0, 0]
    assert raised(warm, "import os\ndef f():\n    os.setuid(0)") in ("PermissionError", "OSError")


def test_environment_variables_tell_nothing(warm, monkeypatch):
    names = value(warm, "import os\ndef f():\n    return sorted(os.environ)")
    allowed = {
        "HOME",
        "LANG",
        "PATH",
        "PWD",
        "MPLBACKEND",
        "MPLCONFIGDIR",
        "OMP_NUM_THREADS",
        "LC_CTYPE",
    }
    assert {n for n in names if not n.startswith("OPENBLAS_")} <= allowed


def test_one_socket_and_no_other_file_is_open(warm):
    source = """
    import os, stat
    def f():
        kinds = []
        for number in range(256):
            try:
                mode = os.fstat(number).st_mode
            except OSError:
                continue
            kinds.append((number, "socket" if stat.S_ISSOCK(mode) else "device" if stat.S_ISCHR(mode) else "other"))
        return kinds"""
    assert value(warm, source) == [(0, "device"), (1, "device"), (2, "device"), (3, "socket")]


def test_the_grader_is_not_on_the_stack_and_not_loaded(warm):
    source = """
    import sys
    def f():
        frame, files = sys._getframe(), set()
        while frame:
            files.add(frame.f_code.co_filename.rsplit("/", 1)[-1])
            frame = frame.f_back
        return sorted(files), sorted(m for m in sys.modules if m.startswith("autograde"))"""
    files, modules = value(warm, source)
    assert set(files) <= {"<f>", "child.py", "<string>"}
    assert modules == [
        "autograde",
        "autograde.sandbox",
        "autograde.sandbox.inside",
        "autograde.sandbox.inside.child",
        "autograde.sandbox.inside.lockdown",
        "autograde.sandbox.inside.shell",
        "autograde.sandbox.inside.wire",
    ]


@pytest.mark.parametrize("call", sorted(lockdown.REFUSED))
def test_refused_system_calls(warm, call):
    column = lockdown.MACHINES[os.uname().machine][0]
    source = f"""
    import ctypes
    def f():
        c = ctypes.CDLL(None, use_errno=True)
        return [c.syscall({lockdown.REFUSED[call][column]}, 0, 0, 0, 0, 0, 0), ctypes.get_errno()]"""
    assert value(warm, source) == [-1, 1]


def test_no_new_namespace_through_clone(warm):
    source = f"""
    import ctypes
    def f():
        c = ctypes.CDLL(None, use_errno=True)
        return [c.syscall({lockdown.MACHINES[os.uname().machine][2]}, 0x10000000 | 17, 0, 0, 0, 0), ctypes.get_errno()]"""
    assert value(warm, source) == [-1, 1]


# ------------------------------------------------------------------------ how much can be used
def test_memory(warm):
    assert run(warm, "def f():\n    return len(bytearray(1 << 30))").kind == "memory"
    assert value(warm, "def f():\n    return len(bytearray(1 << 20))") == 1 << 20


def test_processes(warm):
    source = """
    import os, time
    def f():
        for n in range(100):
            try:
                if os.fork() == 0:
                    time.sleep(60)
            except OSError:
                return n
        return 100"""
    assert value(warm, source) < LIMITS.processes


def test_disk(warm):
    source = """
    def f():
        written = 0
        for n in range(40):
            try:
                with open(f"/tmp/{n}", "wb", buffering=0) as file:
                    written += file.write(bytes(1 << 20))
            except OSError:
                break
        return written"""
    assert 0 < value(warm, source) <= LIMITS.disk


def test_open_files(warm):
    assert (
        raised(warm, "import os\ndef f():\n    return [os.dup(0) for _ in range(100)]") == "OSError"
    )


def test_output_is_counted_and_dropped(warm):
    assert run(warm, "def f():\n    while True:\n        print('x' * 1000)").kind == "output"
    assert value(warm, "import os\ndef f():\n    return os.write(1, bytes(1 << 20))") == 1 << 20
    assert value(warm, "def f():\n    print('x' * 1000)\n    return 1") == 1


def test_a_result_that_is_too_large(warm):
    assert run(warm, "def f():\n    return np.zeros(4 << 20)").kind == "oversized"


def test_time(warm):
    with pytest.raises(LateError):
        run(warm, "def f():\n    while True: pass", seconds=0.5)
    with pytest.raises(LateError):
        run(warm, "import time\ndef f():\n    time.sleep(60)", seconds=0.5)


def test_processor_time():
    with (
        Sandbox(SETUP, limits=Limits(submission_seconds=0.5)) as sandbox,
        pytest.raises(ClosedError),
    ):
        run(sandbox, "def f():\n    while True: pass")


# ------------------------------------------------------------------------ what is left
def children_of(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def test_processes_end_with_the_student(warm):
    before = len(children_of(os.getpid()))
    source = """
    import os, time
    def f():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        return 1"""
    with warm.student_process() as student_process:
        assert talk(student_process, source).values[0] == 1
        assert len(children_of(os.getpid())) > before
    assert len(children_of(os.getpid())) == before


@pytest.mark.parametrize(
    "target", ["os.getppid()", "0", "-1", "1", "-os.getpgrp()", "-os.getsid(0)"]
)
def test_signals_reach_nobody_else(warm, target):
    source = f"""
    import os, signal
    def f():
        try:
            os.kill({target}, signal.SIGKILL)
        except OSError:
            pass
        return 1"""
    with contextlib.suppress(ClosedError):  # it may end itself
        run(warm, source)
    assert value(warm, "def f():\n    return 2") == 2


def test_what_one_student_patches_the_next_does_not_see(warm):
    assert value(warm, "import builtins\nnp.sum = builtins.abs = None\ndef f():\n    return 1") == 1
    assert value(warm, "def f():\n    return abs(-3), float(np.sum(np.ones(3)))") == (3, 3.0)


def test_the_warm_process_ends_with_the_sandbox_and_with_its_owner(tmp_path):
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).resolve().parent.parent)!r})
from autograde.sandbox.sandbox import Sandbox
import psutil
sandbox = Sandbox(["x = 1"])
sandbox.start()
print([p.pid for p in psutil.Process().children(recursive=True)], flush=True)
sys.stdin.read()
"""
    owner = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    pids = json.loads(owner.stdout.readline())
    assert pids
    owner.kill()
    owner.wait()
    until = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in pids if alive(pid)]


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# ------------------------------------------------------------------------ what cannot start
def test_setup_that_does_not_run_is_named():
    with pytest.raises(SandboxError, match="ZeroDivisionError"), Sandbox(["1 / 0"]):
        pass


def test_without_bubblewrap_it_refuses_and_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(CourseError, match="--sandbox rlimits"):
        command("bubblewrap", str(Path(sys.prefix) / "bin" / "python"), 3)


RLIMITS = """
import sys, time
sys.path.insert(0, {root!r})
from autograde.sandbox.sandbox import Sandbox
from autograde.settings import Limits
from autograde.sandbox.inside.wire import Batch, LateError
limits = Limits(memory=512 << 20)
with Sandbox(["import numpy as np"], level="rlimits", limits=limits) as sandbox:
    def run(source, seconds=10.0):
        with sandbox.student_process() as student:
            channel, deadline = student.channel, time.monotonic() + seconds
            asks = Batch(channel.caps)
            asks.add("cell", "f", source)
            asks.add("call", "f", [], {{}})
            channel.send(asks.frame("asks", 1))
            return channel.receive(deadline).values[1]
    assert run("def f():\\n    return float(np.ones(3).sum())").values[0] == 3.0
    assert run("def f():\\n    return len(bytearray(1 << 30))").kind == "memory"
    assert run("import socket\\ndef f():\\n    socket.socket()").values[0] == "PermissionError"
    try:
        run("def f():\\n    while True: pass", 0.5)
    except LateError:
        print("all well")
"""


def test_limits_alone_where_bubblewrap_cannot_run():
    """Level rlimits, as an ordinary user."""
    root = str(Path(__file__).resolve().parent.parent)
    inside = [sys.executable, "-c", RLIMITS.format(root=root)]
    if (
        os.geteuid() == 0
    ):  # the environment may lie where only root can read: seem to be another user
        inside = [
            "bwrap",
            "--unshare-user",
            "--uid",
            "1000",
            "--gid",
            "1000",
            "--dev-bind",
            "/",
            "/",
            *inside,
        ]
    done = subprocess.run(inside, capture_output=True, text=True, timeout=60)
    assert done.stdout == "all well\n", done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_does_not_grade_with_a_python_that_only_root_can_read(tmp_path):
    hidden = tmp_path / "hidden"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(hidden)], check=True)
    hidden.chmod(0o700)
    with pytest.raises(CourseError, match="only root can open"):
        command("rlimits", str(hidden / "bin" / "python"), 3)


# ------------------------------------------------------------------------ cells as IPython runs them
@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\nx = 1",
        "x = 1\n!pip install 'numpy",
        "%%time\nx = 1",
        "?len\nx = 1",
        "len?\nx = 1",
        "if True:\n    %time y = 2\n    x = 1",
        "y = !ls\nx = 1",
        "y = %pwd\nx = 1",
        "get_ipython().run_line_magic('pwd', '')\ndisplay(3)\nx = 1",
        "import matplotlib.pyplot as p\nfrom IPython.display import display, HTML\nHTML('a')\nx = 1",
    ],
)
def test_what_only_ipython_understands_harms_nothing(source):
    shell = Shell()
    assert shell.run(source, "cell") is None
    assert shell.namespace["x"] == 1


def test_a_string_that_looks_like_a_magic_stays():
    shell = Shell()
    assert shell.run('x = """\n%matplotlib\n!ls\n"""\n%pwd', "cell") is None
    assert shell.namespace["x"] == "\n%matplotlib\n!ls\n"


@pytest.mark.parametrize("source", ["x = (1", "def f(:\n  pass", "x = 1 +\n", "return 3", "a\x00b"])
def test_what_python_does_not_understand_is_an_error(source):
    failure = Shell().run(source, "cell")
    assert failure is not None
    assert failure.kind in ("SyntaxError", "ValueError")


@pytest.mark.parametrize(
    "source",
    [
        "    def f():\n        return 1\n    x = f()",
        "\n\n    x = 1\n",
        ">>> def f():\n...     return 1\n>>> x = f()",
        "In [3]: def f():\n   ...:     return 1\n   ...: x = f()",
        "%time x = 1",
        "time x = 1",
        "x = %time 1",
        "def f(a, b): return 1\n%timeit f( \\\n   1, 2)\nx = 1",
        "%timeit -n 3 -r2 x = 1",
        "%prun -l 5 -s cumulative x = 1",
        "%%time\ndef f():\n    return 1\nx = f()",
        "%%capture out\nx = 1\nout.show()",
        "%%timeit -n 3 y = 1\nx = y",
        "%%prun -l 5\nx = 1",
        "%%capture\n%%time\n\n%matplotlib inline\nx = 1",
        "if True:\n    %time x = 1",
        "%time !ls\nx = 1",
        "x = 1\npip install numpy\ncd data",
        "%pwd\nx = 1  # a\u2028b \x85 \x0b \x1e \x0c",
    ],
)
def test_a_cell_means_what_it_means_to_ipython(source):
    plain, shell = Shell(), Shell()
    assert shell.run(source, "cell") is None
    assert plain.run(python_of(source), "cell") is None
    assert shell.namespace["x"] == plain.namespace["x"] == 1


@pytest.mark.parametrize(
    "source",
    ["%%bash\nrm -rf /", "%%html\n<b>", "%%writefile {0}/a.txt\nx = 2", "%%python\nx = 2"],
)
def test_what_stands_below_other_cell_magics_is_not_run(source, tmp_path):
    shell = Shell()
    assert shell.run(source.format(tmp_path), "cell") is None
    assert "x" not in shell.namespace


def test_code_in_a_string_below_a_magic_stays_text():
    shell = Shell()
    assert shell.run("%%time\ns = '''\n%%time\npip install a\n'''", "cell") is None
    assert shell.namespace["s"] == "\n%%time\npip install a\n"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1 +",
        "%%time\nx = (",
        "a\x00b",
        "x = '\ud800'",
        "(" * 5000,
        "%pwd\n" * 20000 + "(",
        "pip install a\n" * 5000,
        "%%time\n" * 5000 + "(",
    ],
    ids=len,
)
def test_what_nobody_can_read_is_a_syntax_error_in_bounded_time(source):
    before = time.process_time()
    with pytest.raises(SyntaxError):
        python_of(source)
    assert time.process_time() - before < 10


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\x1c", "\x1e"])
def test_odd_separators_end_no_line(mark):
    source = f"# from{mark}a PDF\nx = 'a{mark}b'\n1 / 0"
    assert lines_of(source) == [f"# from{mark}a PDF\n", f"x = 'a{mark}b'\n", "1 / 0"]
    shell = Shell()
    failure = shell.run(source, "cell")
    assert failure is not None
    assert (failure.kind, failure.place) == ("ZeroDivisionError", "line 3:  1 / 0")
    assert shell.namespace["x"] == f"a{mark}b"
    assert lines_of("a\r\nb\rc\n") == ["a\n", "b\n", "c\n"]


def test_a_file_that_a_cell_writes_can_be_imported_and_run(warm):
    write = python_of("%%writefile helper.py\nV = 4")
    source = f"{write}\nimport helper\nassert helper.V == 4\n%run helper.py\ndef f():\n    return V"
    assert value(warm, source) == 4


@pytest.mark.parametrize(
    "source",
    [
        "help(len); license(); credits(); copyright()",
        "pip install numpy\nx = 1",
        "import asyncio\nawait asyncio.sleep(0)\nasync def g():\n    return 4\nassert await g() == 4",
        "import asyncio\nx = await asyncio.sleep(0, 3)\nx",
        "get_ipython().user_ns['x'] = 3\nassert x == 3\nget_ipython().run_line_magic('time', '')",
        "import sys\nsys.stdout.writelines(['a', 'b'])\nsys.stdout.close()\nsys.stdout.write('c')\nprint(1)",
    ],
)
def test_what_a_notebook_has(source):
    shell = Shell()
    kept = sys.stdout, sys.stderr
    shell.capture()
    try:
        assert shell.run(source, "cell") is None
    finally:
        sys.stdout, sys.stderr = kept


def test_the_last_value_has_a_name():
    shell = Shell()
    for source, value in (("1 + 1", 2), ("_ + 1", 3), ("x = 5", 3), ("None", 3), ("x;", 5)):
        assert shell.run(source, "cell") is None
        assert shell.namespace["_"] == value
    assert shell.run("for _ in range(3): pass\n7", "cell") is None
    assert shell.namespace["_"] == 2  # a name of one's own stays


def test_print_goes_where_output_goes(warm):
    source = """
    def f():
        import contextlib, io
        with contextlib.redirect_stdout(io.StringIO()) as text:
            print("a", 1)
        return text.getvalue()"""
    assert value(warm, source) == "a 1\n"
