"""How joins are computed: in which order, by states of their own or by shared indexes. Pure.

Before keys are derived: :mod:`regions` finds joins whose order is free, :mod:`guesses` their sizes,
:mod:`order` the tree that costs least by :mod:`model`; :mod:`reorder` builds it, or what a view
began with.

After: :mod:`join_tree` flattens joins; :mod:`chains` finds the lookups behind each input's changes;
:mod:`cost` compares them with hash joins; :mod:`delta_planner` decides.
"""
