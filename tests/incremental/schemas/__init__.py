"""Random schemas, and queries that fit them.

``types`` has the types of columns and their values, ``relations`` what makes queries,
``expressions`` and ``pieces`` what they are made of. Spark itself says which columns a query has:
each is analysed as soon as it is made, and those that Spark refuses are dropped.
"""
