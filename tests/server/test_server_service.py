"""What the service manager, the log and the process are told."""

import json
import os
import resource
import socket
import subprocess
import sys

import anyio
import pytest
import structlog

from recalld.counters import Counters
from recalld.errors import BadConfig, Unavailable
from recalld.service.activation import forget_activation, inherited_socket
from recalld.service.logs import MAX_RECORD_BYTES, set_up
from recalld.service.notify import Notifier, beat_while_alive, watchdog_period_s
from recalld.service.process import LoopLag, harden, rss_bytes


def manager(address):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(address)
    listener.settimeout(5)
    return listener


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_the_manager_is_told_at_a_path_and_in_the_abstract_namespace(tmp_path, kind):
    name = str(tmp_path / "notify") if kind == "path" else f"@recalld-test-{os.getpid()}"
    with manager(name.replace("@", "\0")) as listener:
        notifier = Notifier.from_environment({"NOTIFY_SOCKET": name})
        notifier.ready()
        assert "READY=1" in listener.recv(4_096).decode().split("\n")
        notifier.reloading()
        assert b"RELOADING=1\nMONOTONIC_USEC=" in listener.recv(4_096)
        notifier.stopping()
        assert listener.recv(4_096) == b"STOPPING=1"


def test_a_manager_that_is_absent_dead_or_full_holds_nothing_up(tmp_path):
    Notifier(None).ready()
    Notifier(str(tmp_path / "nobody")).ready()
    with manager(str(tmp_path / "full")):
        notifier = Notifier(str(tmp_path / "full"))
        for _ in range(10_000):
            notifier.beat()


@pytest.mark.parametrize(
    ("environ", "period_s"),
    [
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"}, 30.0),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_beats_are_owed_only_to_who_asked_this_process(environ, period_s):
    assert watchdog_period_s(environ, pid=42) == period_s


class Beats:
    """A notifier that counts, and a store that can hang or fail."""

    def __init__(self):
        self.at = []
        self.trouble = None

    def beat(self):
        self.at.append(anyio.current_time())

    async def ping(self):
        if self.trouble == "hangs":
            await anyio.sleep_forever()
        if self.trouble == "fails":
            raise Unavailable("store", "locked")


async def test_beats_come_at_half_the_period_and_stop_with_the_store(autojump_clock):
    beats, counters = Beats(), Counters()
    async with anyio.create_task_group() as tasks:

        async def beat():
            await beat_while_alive(
                beats.beat, period_s=30, ping_store=beats.ping, counters=counters
            )

        tasks.start_soon(beat)
        await anyio.sleep(100)
        assert beats.at == [pytest.approx(15 * n) for n in range(7)]
        for trouble in ("hangs", "fails"):
            beats.trouble = trouble
            await anyio.sleep(100)
        assert len(beats.at) == 7
        assert counters.get("watchdog.missed") >= 10
        beats.trouble = None
        await anyio.sleep(100)
        assert len(beats.at) > 10
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    "environ",
    [{}, {"LISTEN_FDS": "1"}, {"LISTEN_FDS": "1", "LISTEN_PID": "1"}, {"LISTEN_PID": "42"}],
)
def test_sockets_for_another_process_are_ignored(environ):
    assert inherited_socket(environ, pid=42) is None


@pytest.mark.parametrize("count", ["2", "x", "-1", "1 "])
def test_a_wrong_number_of_sockets_is_refused(count):
    with pytest.raises(BadConfig, match="expected one socket"):
        inherited_socket({"LISTEN_FDS": count, "LISTEN_PID": "42"}, pid=42)


CHECK_FD = """
import os
from recalld.errors import BadConfig
from recalld.service.activation import inherited_socket
try:
    handed = inherited_socket({"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}, pid=os.getpid())
    print("ok", os.get_inheritable(handed.fileno()))
except BadConfig as error:
    print(error)
"""


def handed_over(descriptor):
    """What a child says to ``descriptor`` as its descriptor 3."""
    setup = (lambda: os.dup2(descriptor, 3)) if descriptor is not None else (lambda: os.close(3))
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import os\ntry:\n    os.fstat(3)\nexcept OSError:\n    pass\n{CHECK_FD}",
        ],
        preexec_fn=setup,
        close_fds=False,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: socket.create_server(("127.0.0.1", 0)), "not a Unix stream socket"),
        (lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), "not a Unix stream socket"),
        (lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), "not listening"),
    ],
)
def test_a_descriptor_that_is_no_listening_unix_socket_is_refused(make, says):
    with make() as wrong:
        assert says in handed_over(wrong.fileno())


def test_a_descriptor_that_is_a_file_is_refused(tmp_path):
    with (tmp_path / "file").open("w") as file:
        assert "descriptor 3" in handed_over(file.fileno())


def test_a_listening_unix_socket_is_taken_and_not_passed_on(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as right:
        right.bind(str(tmp_path / "s"))
        right.listen()
        assert handed_over(right.fileno()) == "ok False"


def test_children_are_not_told_of_the_socket():
    environ = {"LISTEN_FDS": "1", "LISTEN_PID": "1", "LISTEN_FDNAMES": "rpc", "PATH": "/bin"}
    forget_activation(environ)
    assert environ == {"PATH": "/bin"}


@pytest.fixture
def restored_log():
    yield
    structlog.reset_defaults()


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    for descriptor in (reading, writing):
        os.close(descriptor)


@pytest.mark.usefixtures("restored_log")
@pytest.mark.parametrize("form", ["json", "console"])
@pytest.mark.parametrize(
    "text", ["\x1b[2Jgone", "two\nlines\r", "nul\0", "x" * 100_000, "\u202eevil", "\udcff"]
)
def test_whatever_is_logged_is_one_printable_record_of_bounded_size(pipe, form, text):
    reading, writing = pipe
    set_up(level="info", form=form, counters=Counters(), descriptor=writing)
    structlog.get_logger().info("event", text=text, more=text)
    record = os.read(reading, 1 << 20)
    assert record.count(b"\n") == 1
    assert record.endswith(b"\n")
    assert len(record) <= MAX_RECORD_BYTES
    assert not set(record) & set(range(32)) - {10}
    if form == "json":
        assert json.loads(record)["event"] == "event"


def failing(private):
    unsaid = "what the user wrote"
    assert unsaid
    raise ValueError(f"cannot read {private}")


@pytest.mark.usefixtures("restored_log")
@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_and_no_local_variable_reaches_the_log(pipe, form):
    reading, writing = pipe
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    set_up(level="info", form=form, counters=Counters(), descriptor=writing)
    log = structlog.get_logger()
    try:
        failing(secret)
    except ValueError:
        log.exception("incident", error=secret, state={"why": [secret]})
    record = os.read(reading, 1 << 20).decode()
    assert secret not in record
    assert "what the user wrote" not in record
    assert "ValueError" in record


@pytest.mark.usefixtures("restored_log")
def test_a_full_pipe_drops_records_counts_them_and_never_blocks(pipe):
    reading, writing = pipe
    counters = Counters()
    set_up(level="info", form="json", counters=counters, descriptor=writing)
    log = structlog.get_logger()
    for number in range(2_000):
        log.info("event", number=number, text="x" * 1_000)
    dropped = counters.get("log.dropped")
    assert dropped > 1_000
    received = os.read(reading, 1 << 20)
    log.info("after")
    received += os.read(reading, 1 << 20)
    whole = [json.loads(line) for line in received.split(b"\n") if line]
    assert len(whole) == 2_001 - dropped
    assert whole[-1]["event"] == "after"


@pytest.mark.usefixtures("restored_log")
def test_a_broken_pipe_is_survived_and_counted():
    reading, writing = os.pipe()
    os.close(reading)
    counters = Counters()
    set_up(level="info", form="json", counters=counters, descriptor=writing)
    structlog.get_logger().info("event")
    os.close(writing)
    assert counters.get("log.dropped") == 1


@pytest.mark.usefixtures("restored_log")
def test_records_below_the_level_are_not_written(pipe):
    reading, writing = pipe
    set_up(level="warning", form="json", counters=Counters(), descriptor=writing)
    structlog.get_logger().info("quiet")
    structlog.get_logger().warning("loud")
    assert b"quiet" not in os.read(reading, 4_096)


async def test_the_longest_stretch_of_the_loop_is_seen_without_a_wake_up():
    import trio  # noqa: PLC0415

    lag = LoopLag()
    trio.lowlevel.add_instrument(lag)
    await anyio.sleep(0)
    sum(range(3_000_000))
    await anyio.sleep(0.01)
    trio.lowlevel.remove_instrument(lag)
    assert lag.max_ms > 5


def test_the_process_leaves_no_core_and_knows_its_size():
    before = resource.getrlimit(resource.RLIMIT_CORE)
    counters = Counters()
    harden(counters)
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0
    assert before[1] >= 0 or before[1] == resource.RLIM_INFINITY
    assert rss_bytes() > 1 << 20
