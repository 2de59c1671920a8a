"""Typed memories: what was decided, planned, done and preferred, with a life of their own."""
