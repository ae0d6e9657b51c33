"""Where the changes of a view go: other systems, exactly once.

Roles:

- :mod:`sink` is the interface: open, recover, write, commit. Users implement it, too.
- :mod:`changes` is what one epoch changed in a view, as a DataFrame or as Arrow.
- :mod:`keys` says when two keys are the same: Spark's equality, before anything else compares them.
- :mod:`holding` says which column of a target holds every value of which column of a view, and
  :mod:`target_types` what the types of each system hold. A new sink of tables uses both.
- :mod:`options` checks what the user said of a sink, and masks passwords wherever it is shown.
- :mod:`registry` knows the formats by name.
- one module for each system.

Flow: ``runtime.delivery`` opens a sink at each start, asks it for the last epoch that it has
(``recover``), brings it up to the newest published epoch, and then writes and commits each epoch
after it is durable.

Invariant: the system keeps the number of an epoch together with the epoch's changes, so that an
epoch that is delivered twice, for a crash came between, is known and left out. With the number goes
the token of the pipeline's owner; a smaller token than the one that is kept is refused.

Libraries of other systems are optional, and imported where a sink is opened.
"""
