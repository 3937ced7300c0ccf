"""The same views and rules on Spark, transpiled from the one source."""
