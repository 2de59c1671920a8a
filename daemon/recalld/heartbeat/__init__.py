"""Heartbeat: when a signal fires, say which past decisions and outcomes it is related to."""
