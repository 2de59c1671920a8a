"""recalld: a per-user memory daemon for people who work with AI agents."""

__version__ = "0.1.0"
