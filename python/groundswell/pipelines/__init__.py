"""Projects of Spark Declarative Pipelines, with their materialized views kept incrementally.

Roles:

- :mod:`spec` reads ``spark-pipeline.yml``.
- :mod:`definitions` collects what the project's files define: outputs and flows.
- :mod:`sql_files` reads the statements of ``.sql`` files.
- :mod:`reading` is the session that the project's functions see: what it reads becomes sources.
- :mod:`resolving` turns definitions into views, each after those that it reads, or refuses them.
- :mod:`running` runs the views as a pipeline of ours, and says what was done.

Flow: the files are imported with Spark's own decorators, which register at our registry. Nothing
runs before every definition has been looked at.

Invariants: the same files run by Spark give the same tables. What would not is refused by name.
"""
