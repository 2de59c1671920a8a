"""The checks of a tick, each one file here and one line in ``CHECKS``."""
