"""Who may write to a location, and who reads there.

One run owns a location until another one claims it (:mod:`takeover`); readers keep epochs by
:mod:`leases`; a :mod:`standby` waits for an owner's end.
"""
