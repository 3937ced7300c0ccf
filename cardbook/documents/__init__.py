"""Documents: JSON from strangers, read strictly and never executed."""
