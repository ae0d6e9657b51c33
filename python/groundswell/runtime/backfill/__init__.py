"""States of views that are added, planned again or cut into other partitions.

All of it before or beside barriers: :mod:`fill` computes, :mod:`beside` does so while barriers
run, :mod:`journal` notes how far, :mod:`unfinished` is about what was cut off, :mod:`reoptimize`
decides on other plans, :mod:`rescale` and :mod:`generations` move states by reference.
"""
