"""From planned streams to the dataflow that the JVM runs (docs/rfcs/0002-dataflow.md). Pure.

One file per operator, each with its delta equation. ``d(X)`` is the changelog of X in one barrier,
``X`` its state before the barrier, ``X'`` the state after it: ``X' = X + d(X)``, rows with weights.
:mod:`lower` walks the streams, :mod:`builder` numbers operators and fuses stateless steps.
"""
