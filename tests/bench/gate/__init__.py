"""How good the gate is, and how the coefficients of its embedding stage were fitted."""
