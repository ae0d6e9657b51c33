"""A page that shows a pipeline: what flows, where time goes, what state there is, what fails.

Roles: ``model`` is what is shown, ``documents`` reads it from a location without a JVM, ``lsm`` the
picture of one state, ``layout`` places operators, ``svg`` and ``render`` draw (pure: model to
HTML), ``metrics`` gives the same as Prometheus' text, ``server`` serves both, ``notebook`` shows a
running query. ``static`` has the one style sheet and the one script.

Invariants. Nothing is written. Every name that is shown is escaped, by ``render.text`` alone. What
a page costs is bounded: the newest epochs, one state's levels, a few failing rows; documents that
never change are read once.
"""
