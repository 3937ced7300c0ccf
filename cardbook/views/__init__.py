"""The views over the tables: the six identities and what follows from them."""
