"""Where tables come from: other systems whose changes become sources of views.

Roles:

- one module for each system has the function that users call; it gives DataFrames that stand for
  tables, made with the functions of :mod:`groundswell.api`.
- the other modules of a system begin with its name: what checks, reads and decodes.
- :mod:`kafka` reads topics with Spark's own connector.
- :mod:`delta` reads tables of Delta Lake with the package deltalake, :mod:`iceberg` those of
  Iceberg with pyiceberg; :mod:`lake` and :mod:`first_files` have what both share.
- :mod:`mysql` reads the binlog of MySQL and MariaDB with mysql-replication; :mod:`tagged` has the
  rows that it shares with :mod:`postgres`, :mod:`tagged_stream` the tables made of them.
- :mod:`pgoutput` decodes the messages of PostgreSQL's logical decoding.

Flow: the function checks the system, and declares a stream of Spark's. Spark asks the stream for
its newest offset; the rows up to it are one barrier.

Invariants: the rows between two offsets are the same whenever they are read. What a system keeps
for a pipeline is given up only behind a durable epoch.

Libraries of other systems are optional, and imported where they are used. A reader is sent to
Spark's Python processes: its modules import no others of groundswell than they need there.
"""
