"""What the running daemon costs, as ratios of times taken in one run."""
