"""Removes what nobody needs in a location: the one room that deletes.

:mod:`.kinds` lists every kind of file that a location may hold, with who writes it, and who removes
it when. :mod:`.retention` decides which epochs may go, and :mod:`.rounds` lets them go, with files
of states; :mod:`.states` removes whole states and generations, :mod:`.fills` what is left of fills
that were cut off, and :mod:`.orphans` what processes that died have left half-written. On the JVM
``engine/Retirement`` and ``checkpoint/EpochPackRetention`` carry a round out.

What belongs to one document alone goes when who writes the next one says so: an owner's documents,
the logs of fills and merges, leases, requests. Rooms before this one ask
:mod:`groundswell.runtime.record.removal` for that, which has a function for each kind; others ask
:mod:`.trees` for whole folders. Nobody else deletes; a test holds it. A claim
(:mod:`groundswell.runtime.ownership`) is looked at between listing and deleting, so an older owner
deletes nothing of a later one's.
"""
