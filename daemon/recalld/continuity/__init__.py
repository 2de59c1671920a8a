"""Continuity: what we were doing, where we stopped, what is next."""
