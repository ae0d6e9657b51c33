"""From a captured Catalyst plan to a plan of streams of changes. Pure: no Spark, no JVM.

Flow: :mod:`capture` reads the JVM's JSON into frozen :mod:`nodes` and collects refusals;
:mod:`stream` derives for every node its changelog kind, its stream key and the hidden columns that
carry the key, and prunes columns nobody needs; :mod:`watermarks` tells which
columns event time reaches; :mod:`explain` prints the result.

Invariant of every :class:`stream.Stream` whose ``key`` is not None: at the end of an epoch no two
of its rows share a key, and from one epoch to the next at most one row per key goes and one comes.
"""
