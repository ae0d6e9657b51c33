"""``python -m groundswell.demo``: a year of New York's flights, kept as three live views.

Flow: ``data`` cuts real data into weekly files; ``live`` streams them through one pipeline and
prints each barrier; ``verify`` recomputes every view with batch Spark and compares; ``picture``
draws one view over time.
"""
