"""States of views that are added, planned anew or cut into other partitions.

All of it before or beside barriers: :mod:`fill` computes, :mod:`beside` does so while barriers
run, :mod:`reoptimize` decides on other plans, :mod:`rescale` and :mod:`generations` move states
by reference.
"""
