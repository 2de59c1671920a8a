"""How good search is, measured through the real ingest, store and search."""
