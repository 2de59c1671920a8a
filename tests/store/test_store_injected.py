"""Fingerprints of what was injected outlive a restart, the newest of them."""

from pathlib import Path

from recalld.store.bridge import open_database, open_loop
from recalld.store.injected import Injected


async def test_fingerprints_are_kept_over_a_restart_and_the_oldest_are_dropped(tmp_path: Path):
    path = tmp_path / "state.db"
    async with open_loop():
        async with open_database(path, migrations="state", synchronous="FULL") as database:
            injected = Injected(database, most=3)
            assert await injected.all() == ()
            await injected.add([(1, 2), (2**32 - 1,)])
            await injected.add([(n,) for n in range(3, 6)])
        async with open_database(path, migrations="state", synchronous="FULL") as database:
            assert await Injected(database, most=3).all() == ((3,), (4,), (5,))
