"""Plans the views of a running query again."""

from __future__ import annotations

import threading
from collections.abc import Callable

from groundswell.runtime.change import Updates
from groundswell.runtime.reoptimize import Replanned
from groundswell.runtime.shown import Shown


class Replanning(Shown):
    """What a running query can do about plans that have become bad ones."""

    _changing: threading.RLock
    _one_change: threading.RLock
    _updates: Updates
    _change: Callable[[Callable[[], None]], None]

    def reoptimize(self, *views: str) -> tuple[Replanned, ...]:
        """Plans views again by the rows that there are now, and fills those that get another plan.

        The inner joins of a view get the order that costs least by the rows of tables, sources and
        views in the newest epoch, if it costs at most 0.8 of what it has; indexes are used where
        that costs less; and with ``sharing="canonical"`` views are given forms that share a state,
        if the pipeline then has fewer of them. A new plan is filled beside the barriers, from what
        the pipeline keeps, and takes the place of the old one at one barrier; views that read the
        view are filled with it. The old states go with the last epoch that has them.

        Args:
            views: names of the views; default: all that the query keeps.

        Returns:
            For each view whether it has another plan now, and why, or why not. Where all plans
            stay as they are, nothing is done.

        Raises:
            ConfigurationError: there is no such view, or it is set aside.
            DefinitionChanged, RowFailed: if a view cannot be filled again, as its sources are not
                kept; all views go on as they are.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> query = p.view("counts", votes.df.groupBy("story").count()).start()
            >>> print(*query.reoptimize("counts"))
            view counts: as it was
              it has no joins whose order, form or indexes could be others
            >>> query.stop()
        """
        with self._one_change:
            with self._changing:
                found = self._updates.replanned(views)
            changed = [each.view for each in found if each.changed]
            if changed:
                self._change(lambda: self._updates.plan_anew(changed))
            return found
