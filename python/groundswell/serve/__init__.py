"""Views and tables for everything that speaks PostgreSQL, read-only and without a JVM.

``server`` listens; ``connection`` turns messages, which the codec pygwire reads and writes, into
calls of a ``session``, which has transactions, prepared statements, portals and cursors.
``snapshots`` gives a transaction one epoch, ``images`` its rows as arrow tables (``image`` one
partition's, ``keys`` those that a statement can see). ``changes`` tells what each epoch changed, to
``feed`` (SUBSCRIBE) and ``events`` (HTTP). ``engine`` runs
SELECTs by DuckDB over them; ``statement`` lets nothing else pass. ``dialect``, ``functions`` and
``pgcatalog`` are what PostgreSQL's clients take for granted, ``pgtypes`` and ``parameters`` how
values leave and arrive. docs/rfcs/0016-serve.md has the why.
"""
