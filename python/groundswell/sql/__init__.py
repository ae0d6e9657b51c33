"""SQL statements for pipelines: a thin layer over the calls that Python programs make.

Roles: :mod:`parsing` reads our statements; :mod:`log` keeps who ran which, and folds them into what
a pipeline consists of; :mod:`building` and :mod:`sinking` make a pipeline of them, with the streams
of :mod:`connecting`; :mod:`masking` keeps secrets out; :mod:`pipelines` runs it, and changes it
while it runs; :mod:`executor` carries out one statement; :mod:`reading` tells the catalog where a
view's rows are; :mod:`bridge` answers the JVM's parser hook and catalog; :mod:`script` runs files,
:mod:`shell` lines that are typed.

Invariants. Queries and expressions are read by Spark's parser alone. A name is a pipeline's only in
the catalog ``groundswell``. A definition is logged before it is applied, so a restart never knows
less than the pipeline did; one that cannot be applied is taken back.
"""
