"""The command line: ``python -m groundswell jar | doctor | version``.

Roles: ``main`` parses and dispatches; ``environment`` gathers facts (versions, files, confs) and
judges nothing; ``diagnosis`` judges those facts and touches nothing; ``doctor`` prints.
Invariant: no module here imports pyspark or starts Java to be imported, so that the commands work
on a machine where those are what is missing.
"""
