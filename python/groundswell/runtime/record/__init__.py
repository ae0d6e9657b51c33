"""What a location holds: definitions, epochs, logs, and how each is named.

Reads and writes documents through :mod:`location`'s one interface; knows no Spark. :mod:`epochs`
is the log of epochs, whose slots :mod:`slots` decides; :mod:`published` finds an epoch again for
every reader; :mod:`pending_epochs`, :mod:`checkpoints` and :mod:`stale_entries` are for
``checkpointEvery`` > 1.
"""
