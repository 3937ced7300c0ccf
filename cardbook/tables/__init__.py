"""Documents become typed rows, rows become CSV tables."""
