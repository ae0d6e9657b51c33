"""The dataflow that Python plans and the JVM runs: one document of operators.

:mod:`operators` has what all of them say, and the parts that several have; :mod:`sources`,
:mod:`steps`, :mod:`rows`, :mod:`joins`, :mod:`indexes`, :mod:`groups`, :mod:`order`, :mod:`clock`,
:mod:`recursion` and :mod:`views` the operators by family; :mod:`flow` the document around them.

An operator has one class, called after it. Classes without a kind of their own say what several
operators have in common: that they keep a state, that their rows have a key.
"""
