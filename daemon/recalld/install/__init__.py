"""Putting recalld into the settings of agent hosts and the service manager, and out again."""
