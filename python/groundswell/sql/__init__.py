"""SQL statements for pipelines: a thin layer over the calls that Python programs make.

Rooms, in the order in which they may use each other: :mod:`parsing` reads our statements;
:mod:`connecting` makes streams of the connectors; :mod:`history` keeps who ran which statement, and
what a pipeline consists of after all; :mod:`defining` makes a pipeline of that, and keeps secrets
out; :mod:`owning` hands statements to the process that runs a pipeline. :mod:`pipelines` runs it,
and changes it while it runs. :mod:`reading` tells the catalog where rows are, :mod:`writing` makes
the rows that a table takes. :mod:`executor` carries out one statement, :mod:`bridge` answers the
JVM's parser hook and catalog, :mod:`console` runs files, and lines that are typed.

Invariants. Queries and expressions are read by Spark's parser alone. A name is a pipeline's only in
the catalog ``groundswell``. A definition is logged before it is applied, so a restart never knows
less than the pipeline did; one that cannot be applied is taken back.
"""
