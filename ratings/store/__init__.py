"""The database: tables, schema, the two dialects, and what reading and writing both need. No reports, no ratings.

`Pool` is the value that crosses layers, `PoolRecord` the row of its table; `...Row` is what a query joined.
"""
