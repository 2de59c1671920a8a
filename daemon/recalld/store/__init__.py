"""What the daemon keeps, in two SQLite files.

``state.db`` holds what cannot be rebuilt: acknowledged events and sessions. It is synced on every
commit (``synchronous=FULL``, affordable through group commit), copied before its schema changes,
and small. ``index.db`` holds what the files can rebuild: chunks, full-text tables, vectors. It is
written in bulk without waiting for the disk (``NORMAL``: a power cut loses the last commits, never
the file) and may be deleted at any time. Two files, so that neither pays the other's price: an
acknowledgement never queues behind an indexing run, and a damaged index costs no event.

``bridge`` opens them for trio, ``lane`` and ``connection`` are its asyncio side, ``faults`` names
what SQLite reports, ``migrate`` owns the schema versions. ``events`` (over ``event_table``) and
``sessions`` work on ``state.db``; the modules named ``index_*`` and ``vectors`` on ``index.db``.
"""
