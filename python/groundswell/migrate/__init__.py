"""Copies checkpoints: of a running pipeline, from another state store, or to other partitions.

::

    new = import_checkpoint(spark, "/old", "/new")           # RocksDB or HDFS-backed -> ours
    new = rescale(spark, "/old", "/new", partitions=64)      # Spark fixes them for ever otherwise

A stopped query's checkpoint is taken over. ``backup`` copies a pipeline that may run, and is apart
from the rest: it needs no Spark; ``file_logs`` cuts Spark's logs of files for it.

Roles: ``plan`` reads what the checkpoint holds and says what is to be moved, ``files`` copies what
is Spark's own (offsets, commits, sources, metadata, schemas), ``run`` puts both around the JVM's
job, which moves the rows. The old checkpoint is only read. The new one gets its ``commits`` last: a
copy that was cut off is none that a query could start from.
"""
