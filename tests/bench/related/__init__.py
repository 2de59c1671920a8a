"""How well related memories are told from near ones, and how the coefficients were fitted."""
