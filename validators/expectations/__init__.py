"""What the rows must look like as a whole: the Great Expectations suite over the compiled tables.

A rule judges a row; a set of rows can be wrong though each of them passes. `make expectations`
runs this over the tables and views and writes HTML Data Docs to build/expectations/ that open
without a network.
"""
