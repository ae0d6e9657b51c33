"""Tests of views: rows in, changes in, rows out after each step; no location to name.

``case`` has what a test is, ``reading`` and ``yaml_files`` make it of a document or a file,
``values`` reads and compares values by their types, ``running`` runs a test in a session, and
``differences`` shows rows that are missing or unexpected. ``dbt_projects`` and ``dbt_tests`` make
tests of dbt's. See ``docs/how-to/test-a-view.md``.
"""

from groundswell.testing.running import view_test

__all__ = ["view_test"]
