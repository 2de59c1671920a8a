"""What the daemon costs and how well it finds, measured; run by hand, not by the tests."""
