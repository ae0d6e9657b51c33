"""Reads our statements. Pure: queries and expressions stay texts, for Spark's own parser.

:mod:`tokens` cuts a text by Spark's quoting rules; :mod:`cursor` walks over the tokens;
:mod:`grammar` reads a whole statement into one of :mod:`statements`. Clauses have modules of
their own: columns, keys and connectors (:mod:`relations`), rows that are written
(:mod:`changes`), AUTO CDC (:mod:`change_feeds`), checks and expectations (:mod:`constraints`),
functions (:mod:`functions`).
"""
