"""The catalog: all that a pipeline is, as one value, and the changes that it takes.

A pipeline's program, SQL, dbt and Declarative Pipelines make :mod:`.change` values. Nothing else
changes a pipeline::

    p.view(...) · query.addView(...) · CREATE MATERIALIZED VIEW · toView(...)
                                 │
                                 ▼
           Change  ──►  Catalog.apply(change)  ──►  a new Catalog, or an error
                                 │
                                 ▼
              plan it, check it, back-fill it, restart the query with it

A catalog never changes. So a change that fails leaves the one before it, a change that waits for a
back-fill is applied again to whatever catalog there is by then, and no one has to undo anything.

:mod:`.view` has everything known of a view and checks it, :mod:`.parts` tables and indexes,
:mod:`.suspended` views that failed and wait. Pure: nothing here calls Spark; the DataFrames of
queries are only carried along.
"""
