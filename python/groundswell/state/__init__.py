"""State as pyarrow data, straight from the files: no JVM, no Spark.

Roles: ``unsafe_row`` turns Spark's row bytes into arrow arrays, ``nested`` does so for arrays and
maps, ``rows`` for lists and rows of several schemas (``evolution`` brings old ones up to
date), ``types`` names their arrow types, ``schema`` reads the schemas that Spark keeps beside the
state, ``keys`` undoes the engine's key encodings, ``checkpoint`` finds operators, stores,
partitions and their newest committed versions, ``documents`` a pipeline's own, ``read`` puts them
together. Nothing is written and nothing that was read is executed; what cannot be decoded is an
error that names the column, and ``raw=True`` gives its bytes.
"""
