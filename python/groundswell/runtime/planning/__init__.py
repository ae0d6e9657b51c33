"""From the views of a catalog to one dataflow, and to what has to be filled.

Pure but for looks at schemas: :mod:`planned` puts all views into one dataflow, :mod:`unfilled`
says which states lack rows, :mod:`changes` what differs from the definition before.
"""
