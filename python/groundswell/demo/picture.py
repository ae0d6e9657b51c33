"""Draws one view over time: each airline's mean departure delay as the year streams by."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HIGHLIGHTED = 6


def draw(history: pd.DataFrame, path: Path) -> None:
    """``history``: columns day, airline, departures, mean_delay, one row per airline and epoch."""
    figure, axes = plt.subplots(figsize=(11, 6), dpi=110)
    last = history[history["day"] == history["day"].max()]
    largest = last.nlargest(HIGHLIGHTED, "departures")["airline"].tolist()
    for airline, rows in history.groupby("airline"):
        style = (
            {"linewidth": 2.2, "label": airline, "zorder": 3}
            if airline in largest
            else {"linewidth": 0.8, "color": "#b8bec6", "zorder": 1}
        )
        axes.plot(pd.to_datetime(rows["day"]), rows["mean_delay"], **style)
    axes.set_title("View “carriers” at every epoch: mean departure delay since 1 January 2013")
    axes.set_ylabel("minutes")
    shown = history.loc[history["airline"].isin(largest), "mean_delay"].max()
    axes.set_ylim(0, 1.5 * shown)  # a small airline's first flights would flatten all others
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e8eb")
    axes.legend(title="the six largest airlines", frameon=False, loc="upper right")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)
