"""The documents that cross between Python and the JVM, one frozen dataclass each.

This package is the one source: ``tools/contract.py`` writes the JVM's records from it
(``views.contract`` and ``store.contract`` of ``io.groundswell.spark``), and a unit test compares. A
document is JSON with exactly the fields of its class; a reader refuses a missing field, an unknown
one and a wrong type.

:mod:`codec` writes and reads documents, :mod:`schema` describes their classes and numbers the
contract. The other modules hold the documents: :mod:`commits` what reads of state name,
:mod:`barrier` what a barrier is told and tells, :mod:`sql` what statements ask, :mod:`capture`
queries as the JVM has them, :mod:`dataflow` the operators that a barrier runs,
:mod:`migration` what moves state between checkpoints.
"""
