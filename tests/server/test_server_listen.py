"""Claiming the socket's path: what is replaced, what is refused, what is never touched."""

import os
import socket
import stat

import pytest

from recalld.errors import BadConfig, Refused
from recalld.server.listen import MAX_PATH_BYTES, OVERFLOW_UID, Claim, claim, may_enter


@pytest.fixture
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("s")
    folder.chmod(0o700)
    return folder


def own_claim(path):
    return claim(path, uid=os.getuid())


def listening(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(1)
    return listener


def test_a_fresh_path_gets_a_private_socket_that_accepts(home):
    held = own_claim(home / "run" / "s.sock")
    mode = (home / "run" / "s.sock").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert stat.S_IMODE((home / "run").stat().st_mode) == 0o700
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(home / "run" / "s.sock"))
    held.release()
    assert not (home / "run" / "s.sock").exists()


def test_a_socket_that_was_handed_over_says_where_it_is(home):
    handed = Claim(listener=listening(home / "s.sock"))
    assert handed.address == str(home / "s.sock")
    handed.release()


def test_the_umask_is_as_it_was_after_binding(home):
    before = os.umask(0o022)
    try:
        own_claim(home / "s.sock").release()
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def test_a_socket_nobody_answers_on_is_replaced(home):
    listening(home / "s.sock").close()
    held = own_claim(home / "s.sock")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(home / "s.sock"))
    held.release()


def make_file(path):
    path.write_text("precious")


def make_folder(path):
    path.mkdir()


def make_link(path):
    path.with_name("target").write_text("precious")
    path.symlink_to(path.with_name("target"))


def make_dangling_link(path):
    path.symlink_to(path.with_name("nowhere"))


def make_fifo(path):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [make_file, make_folder, make_link, make_dangling_link, make_fifo])
def test_what_is_no_socket_is_never_removed(home, make):
    path = home / "s.sock"
    make(path)
    before = path.lstat()
    with pytest.raises(BadConfig, match="not a socket"):
        own_claim(path)
    assert path.lstat().st_ino == before.st_ino


def test_a_socket_of_another_user_is_never_removed(home):
    listening(home / "s.sock").close()
    with pytest.raises(BadConfig, match="belongs to uid"):
        claim_as_other(home)
    assert (home / "s.sock").is_socket()


def claim_as_other(home):
    """The directory is ours, the socket in it somebody else's."""
    if os.getuid() != 0:
        pytest.skip("needs root to give the socket away")
    os.chown(home / "s.sock", 12_345, -1)
    return own_claim(home / "s.sock")


def test_a_live_socket_is_not_stolen_even_when_its_lock_is_gone(home):
    with listening(home / "s.sock"):
        inode = (home / "s.sock").lstat().st_ino
        with pytest.raises(Refused, match="answers"):
            own_claim(home / "s.sock")
        assert (home / "s.sock").lstat().st_ino == inode


def test_a_second_claim_is_refused_and_the_path_stays_the_first_ones(home):
    held = own_claim(home / "s.sock")
    with pytest.raises(Refused, match="held by"):
        own_claim(home / "s.sock")
    assert held.still_there()
    held.release()
    own_claim(home / "s.sock").release()


def test_releasing_twice_closes_nothing_of_somebody_else(home):
    held = own_claim(home / "s.sock")
    held.release()
    other = os.open(os.devnull, os.O_RDONLY)
    held.release()
    os.close(other)


def test_releasing_twice_leaves_the_next_daemons_socket_alone(home):
    held = own_claim(home / "s.sock")
    held.release()
    following = own_claim(home / "s.sock")
    held.release()
    assert following.still_there()
    following.release()


def test_a_socket_that_took_our_place_is_left_alone_at_the_end(home):
    held = own_claim(home / "s.sock")
    (home / "s.sock").unlink()
    with listening(home / "s.sock"):
        assert not held.still_there()
        held.release()
        assert (home / "s.sock").is_socket()


@pytest.mark.parametrize(("length", "fits"), [(MAX_PATH_BYTES, True), (MAX_PATH_BYTES + 1, False)])
def test_a_path_of_107_bytes_fits_and_108_are_refused_with_the_limit(home, length, fits):
    path = home / ("x" * (length - len(os.fsencode(home)) - 1))
    assert len(os.fsencode(path)) == length
    if fits:
        own_claim(path).release()
    else:
        with pytest.raises(BadConfig, match="limit is 107"):
            own_claim(path)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o777])
def test_a_directory_that_others_may_enter_is_refused(home, mode):
    (home / "run").mkdir()
    (home / "run").chmod(mode)
    with pytest.raises(BadConfig, match="expected 0700") as caught:
        own_claim(home / "run" / "s.sock")
    for told in (str(home / "run"), "chmod 700", "--socket", "RECALLD_SOCKET", "server.socket"):
        assert told in str(caught.value)


def test_a_directory_that_is_a_symlink_is_refused(home):
    (home / "real").mkdir(mode=0o700)
    (home / "run").symlink_to(home / "real")
    with pytest.raises(BadConfig, match="not a directory"):
        own_claim(home / "run" / "s.sock")


@pytest.mark.parametrize(("mode", "accepted"), [(0o777, False), (0o1777, True)])
def test_a_world_writable_parent_must_be_sticky(home, mode, accepted):
    (home / "shared").mkdir()
    (home / "shared").chmod(mode)
    if accepted:
        own_claim(home / "shared" / "run" / "s.sock").release()
    else:
        with pytest.raises(BadConfig, match="sticky"):
            own_claim(home / "shared" / "run" / "s.sock")


@pytest.mark.parametrize(
    ("peer", "uid", "enters"),
    [
        (1_000, 1_000, True),
        (0, 1_000, False),
        (1_001, 1_000, False),
        (OVERFLOW_UID, OVERFLOW_UID, False),
    ],
)
def test_only_our_own_uid_enters_and_never_the_overflow_one(peer, uid, enters):
    assert may_enter(peer, uid=uid) is enters
