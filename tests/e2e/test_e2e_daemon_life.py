"""Start, ready, reload, drain, restart and the ways a start is refused, of the real process."""

import json
import os
import queue
import signal
import socket
import sqlite3
import subprocess
import threading
from contextlib import ExitStack, suppress

import pytest

from support.daemon import READY_S, Peer, command, environment, launched, request, running, serving


@pytest.fixture
def home(tmp_path):
    return tmp_path / "d"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes" / "memory"
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("# Plan\n\nThe gateway moved to port 9410.\n", encoding="utf-8")
    return folder.parent


def test_the_first_ping_after_ready_is_answered_and_stopping_is_announced(home):
    with running(home) as daemon:
        assert daemon.call("ping")["pid"] == daemon.child.pid
        assert daemon.stop() == 0
        daemon.until_told("STOPPING=1")
    assert not daemon.socket_path.exists()


def test_a_prompt_gets_its_block_from_a_folder_of_notes(home, notes):
    with running(home, workspaces=[notes]) as daemon:
        report = daemon.call("index.sync")
        assert (report["files"], report["skipped"]) == (1, [])
        status = daemon.call("index.status", workspace=str(notes))
        assert status["workspaces"][0]["invariants"]["holds"]
        assert status["workspaces"][0]["preferred"] is None
        assert "questions" in status["fitted_on"]
        session = {"key": "agent:main:main", "workspace": str(notes)}
        result = daemon.call(
            "session.prompt", session=session, text="which port did we move the gateway to?"
        )
        assert result["status"] == "ok"
        assert "9410" in result["context"]
        why = daemon.call("recall.explain", trace_id=result["trace_id"])
        assert why["trace_id"] == result["trace_id"]
        assert daemon.call("session.prompt", session=session, text="thanks!")["context"] is None


def test_a_workspace_nobody_configured_finds_nothing_and_is_no_error(home, notes, tmp_path):
    with running(home, workspaces=[notes]) as daemon:
        session = {"key": "s", "workspace": str(tmp_path / "elsewhere")}
        result = daemon.call("session.prompt", session=session, text="what did we decide about it?")
        assert (result["status"], result["reason"]) == ("no_result", "no_workspace")


@pytest.mark.parametrize("some", [True, False])
def test_a_daemon_without_any_folder_says_how_to_give_it_one(home, notes, some):
    with running(home, workspaces=[notes] if some else []) as daemon:
        daemon.until_logged('"event":"ready"')
        assert daemon.stop() == 0
    assert ("recalld workspace add DIR" in daemon.log_text()) is not some


def test_a_turn_is_kept_once_and_survives_a_kill(home):
    with running(home) as daemon:
        turn = {"session": {"key": "s"}, "user": "u", "assistant": "a", "event_id": "e1"}
        assert daemon.call("session.turn", **turn) == {"accepted": True}
        daemon.send_signal(signal.SIGKILL)
        daemon.ended()
    with running(home) as daemon:
        assert daemon.call("session.turn", **turn) == {"accepted": True, "duplicate": True}
        daemon.stop()
    rows = sqlite3.connect(home / "state" / "state.db").execute("SELECT kind FROM event").fetchall()
    assert rows == [("session.turn",)]


def test_what_is_in_flight_at_sigterm_is_answered_or_refused(home, notes):
    with running(home, workspaces=[notes]) as daemon, daemon.peer() as peer:
        for number in range(50):
            peer.say(request("session.turn", number, session={"key": "s"}, user="u", assistant="a"))
        daemon.send_signal(signal.SIGTERM)
        replies = [json.loads(line) for line in peer.lines()]
        assert daemon.ended() == 0
    for reply in replies:
        assert reply.get("result") == {"accepted": True} or reply["error"]["code"] == -32003
    kept = sqlite3.connect(home / "state" / "state.db").execute("SELECT count(*) FROM event")
    assert kept.fetchone()[0] >= sum("result" in reply for reply in replies)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_either_signal_stops_in_order(home, number):
    with running(home) as daemon:
        daemon.send_signal(number)
        assert daemon.ended(timeout_s=6) == 0


def test_sigpipe_and_sigxfsz_do_not_end_it(home):
    with running(home) as daemon:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            daemon.send_signal(number)
        assert daemon.call("ping")["ok"]


def test_sighup_reloads_whole_or_not_at_all(home, notes):
    with running(home) as daemon:
        config = home / "config.toml"
        config.write_text(f'workspaces = ["{notes}"]\n[recall]\ntop_k = "x"\n', encoding="utf-8")
        daemon.send_signal(signal.SIGHUP)
        daemon.until_told("RELOADING=1")
        daemon.told.clear()
        daemon.until_told("READY=1")
        assert daemon.call("index.status")["workspaces"] == []
        with daemon.peer() as peer:
            error = peer.ask("config.reload")["error"]
            assert (error["code"], error["data"]["key"]) == (-32005, "recall.top_k")
        config.write_text(f'workspaces = ["{notes}"]\n', encoding="utf-8")
        assert daemon.call("config.reload")["changed"] == ["workspaces"]
        (workspace,) = daemon.call("index.status")["workspaces"]
        assert workspace["workspace"] == str(notes)


def test_sigusr1_writes_the_state_to_the_log(home):
    with running(home) as daemon:
        daemon.send_signal(signal.SIGUSR1)
        daemon.call("ping")
        daemon.stop()
        events = [json.loads(line) for line in daemon.log_text().splitlines()]
    (state,) = [event["state"] for event in events if event["event"] == "state"]
    assert "counters" in str(state)


def test_of_several_started_at_once_exactly_one_serves(home):
    with ExitStack() as stack:
        started = [stack.enter_context(launched(home)) for _ in range(4)]
        ended = ended_in_order([process.child for process in started])
        assert [next(ended)[1] for _ in range(3)] == [75, 75, 75]
        (winner,) = [process for process in started if process.child.poll() is None]
        assert winner.call("ping")["pid"] == winner.child.pid
        winner.child.terminate()
        assert next(ended) == (winner.child.pid, 0)


def ended_in_order(children):
    """Process ids with their exit status, as they end."""
    found: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for child in children:
        note = lambda child=child: found.put((child.pid, child.wait()))  # noqa: E731
        threading.Thread(target=note, daemon=True).start()
    while True:
        yield found.get(timeout=READY_S)


def test_a_second_daemon_at_another_socket_may_not_share_the_state(home, tmp_path):
    with (
        running(home),
        launched(tmp_path / "e", environ={"RECALLD_STATE_DIR": str(home / "state")}) as second,
    ):
        assert second.ended() == 75


def test_a_socket_left_by_a_killed_daemon_is_replaced(home):
    with running(home) as daemon:
        daemon.send_signal(signal.SIGKILL)
        daemon.ended()
    assert daemon.socket_path.is_socket()
    with running(home) as daemon:
        assert daemon.call("ping")["ok"]


def bad_config(home):
    return {"config": "[recall]\ntopk = 3\n"}, "did you mean"


def file_in_the_way(home):
    home.mkdir(mode=0o700)
    (home / "s.sock").write_text("precious")
    return {}, "not a socket"


def wide_directory(home):
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    return {}, "expected 0700"


def newer_schema(home):
    (home / "state").mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    with running(home) as daemon:
        daemon.stop()
    connection = sqlite3.connect(home / "state" / "state.db")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    return {}, "upgrade"


@pytest.mark.parametrize("make", [bad_config, file_in_the_way, wide_directory, newer_schema])
def test_a_start_that_only_the_user_can_mend_exits_78_and_says_what(home, make):
    options, says = make(home)
    with launched(home, **options) as daemon:
        assert daemon.ended() == 78
        assert says in daemon.log_text()
        assert "Traceback" not in daemon.log_text()


def test_a_removed_socket_file_is_back_and_open_connections_live_on(home):
    with running(home) as daemon, daemon.peer() as old:
        daemon.socket_path.unlink()
        assert old.ask("ping")["result"]["ok"]
        daemon.until_logged("socket.rebound")
        with daemon.peer() as new:
            assert new.ask("ping")["result"]["ok"]
        assert old.ask("ping")["result"]["ok"]


def test_a_damaged_index_is_set_aside_and_rebuilt(home, notes):
    with running(home, workspaces=[notes]) as daemon:
        daemon.call("index.sync")
        daemon.stop()
    for name in ("index.db-wal", "index.db-shm"):
        (home / "state" / name).unlink(missing_ok=True)
    (home / "state" / "index.db").write_bytes(b"not a database at all" * 500)
    with running(home, workspaces=[notes]) as daemon:
        status = daemon.call("status")
        assert any("damaged" in why for why in status["degraded"])
        assert status["counters"]["store.quarantined"] == 1
        assert daemon.call("index.sync")["files"] == 1
        assert daemon.call("search", query="gateway port")["hits"]
    assert len(list((home / "state").glob("index.db.damaged-*"))) == 1


def test_a_damaged_state_is_kept_and_named(home):
    with running(home) as daemon:
        daemon.call("session.turn", session={"key": "s"}, user="u", assistant="a")
        daemon.stop()
    path = home / "state" / "state.db"
    data = bytearray(path.read_bytes())
    data[:100] = b"\0" * 100
    path.write_bytes(data)
    with running(home) as daemon:
        assert any("damaged" in why for why in daemon.call("status")["degraded"])
        assert daemon.call("session.turn", session={"key": "s"}, user="u", assistant="a")
    kept = min((home / "state").glob("state.db.damaged-*"), key=lambda path: len(path.name))
    assert kept.read_bytes()[100:] == bytes(data)[100:]


def activated(home, listener):
    """The daemon with ``listener`` as its descriptor 3, the way a service manager starts it."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_text("", encoding="utf-8")
    script = (
        f"import os,sys;os.dup2({listener.fileno()},3);os.set_inheritable(3,True);"
        'os.environ["LISTEN_PID"]=str(os.getpid());os.execv(sys.argv[1],sys.argv[1:])'
    )
    environ = environment(home / "state", LISTEN_FDS="1", LISTEN_FDNAMES="rpc")
    line = [*command("--config", str(home / "config.toml"))]
    with (home / "log").open("ab") as log:
        return subprocess.Popen(
            [line[0], "-c", script, *line],
            env=environ,
            stdout=log,
            stderr=log,
            pass_fds=(listener.fileno(),),
        )


def test_a_restart_under_activation_is_invisible_to_clients(home):
    home.mkdir(mode=0o700)
    path = home / "s.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(128)
        first = activated(home, listener)
        with Peer(path, timeout_s=READY_S) as peer:
            assert peer.ask("ping")["result"]["pid"] == first.pid
        first.terminate()
        assert first.wait(15) == 0
        assert path.is_socket()
        with Peer(path, timeout_s=READY_S) as waiting:
            waiting.say(request("ping"))
            second = activated(home, listener)
            assert waiting.hear()["result"]["pid"] == second.pid
        second.terminate()
        assert second.wait(15) == 0


def test_the_watchdog_is_fed_by_a_loop_that_runs_and_starved_by_one_that_is_stopped(home):
    with running(home, environ={"WATCHDOG_USEC": "400000"}) as daemon:
        for _ in range(3):
            daemon.told.clear()
            daemon.until_told("WATCHDOG=1", timeout_s=10)
        daemon.told.clear()
        daemon.send_signal(signal.SIGSTOP)
        # Beats on their way at the moment of the signal, then none.
        with suppress(TimeoutError):
            while len(daemon.told) < 10:
                daemon.hear_manager(timeout_s=1.5)
        assert len(daemon.told) < 5
        daemon.send_signal(signal.SIGCONT)
        daemon.told.clear()
        daemon.until_told("WATCHDOG=1", timeout_s=10)


def test_a_log_that_nobody_reads_does_not_stop_the_daemon(home):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 4_096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    with running(home, stderr=writing) as daemon:
        assert daemon.call("ping")["ok"]
        assert daemon.call("status")["counters"]["log.dropped"] >= 1
        assert daemon.stop() == 0
    os.close(reading)
    os.close(writing)


async def test_the_daemon_runs_inside_a_test_too(home, notes):
    from recalld.server.sockets import connect  # noqa: PLC0415
    from support.wires import read_lines  # noqa: PLC0415

    async with serving(home, workspaces=[notes]) as inside:
        wire = await connect(str(inside.socket_path))
        await wire.send_some(memoryview(request("ping")))
        (line,) = await read_lines(wire, 1)
        assert json.loads(line)["result"]["ok"]
        await wire.aclose()
    assert not inside.socket_path.exists()
