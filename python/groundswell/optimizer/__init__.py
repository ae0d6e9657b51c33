"""How joins are computed: in which order, by states of their own or by shared indexes. Pure.

Flow: :mod:`join_tree` flattens joins; :mod:`chains` finds the lookups behind each input's changes;
:mod:`cost` weighs the work of a change and the state kept; :mod:`delta_planner` decides.
"""
