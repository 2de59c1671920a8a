"""Results of sub-agents and owed snapshots: each is told once."""
