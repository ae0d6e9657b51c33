"""What Spark's parser and catalog ask Python (:mod:`requests`), and the :mod:`answers`.

:mod:`states` has what both name: states of tables and views, and ranges of epochs.
"""
