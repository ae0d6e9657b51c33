"""The shop's own table, and the views of the pipeline as models that Django does not manage."""

from __future__ import annotations

from typing import Any

from django.db import models


class Item(models.Model):
    """What is sold: a table of the shop, made by a migration."""

    itemid = models.IntegerField(primary_key=True)
    name = models.TextField()

    class Meta:
        app_label = "dashboard"


class View(models.Model):
    """A view: read only."""

    class Meta:
        abstract = True
        app_label = "dashboard"
        managed = False

    def save(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("a view changes when the tables change that it is made of")

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a view changes when the tables change that it is made of")


class TopStates(View):
    """The five states with the most turnover."""

    state = models.TextField(primary_key=True)
    turnover = models.DecimalField(max_digits=32, decimal_places=2)

    class Meta(View.Meta):
        abstract = False
        db_table = "top_states"
        ordering = ("-turnover", "state")


class TopAverages(View):
    """The five items with the highest average quantity in an order."""

    itemid = models.IntegerField(primary_key=True)
    quantity = models.FloatField()

    class Meta(View.Meta):
        abstract = False
        db_table = "top_averages"
        ordering = ("-quantity", "itemid")


class TopSold(View):
    """The five items that sold best by quantity."""

    itemid = models.IntegerField(primary_key=True)
    quantity = models.BigIntegerField()

    class Meta(View.Meta):
        abstract = False
        db_table = "top_sold"
        ordering = ("-quantity", "itemid")


class TopItems(View):
    """The five items that sold best by turnover."""

    itemid = models.IntegerField(primary_key=True)
    turnover = models.DecimalField(max_digits=32, decimal_places=2)

    class Meta(View.Meta):
        abstract = False
        db_table = "top_items"
        ordering = ("-turnover", "itemid")


class TopStories(View):
    """The ten stories with the most votes."""

    id = models.IntegerField(primary_key=True)
    title = models.TextField()
    vcount = models.BigIntegerField()

    class Meta(View.Meta):
        abstract = False
        db_table = "top_stories"
        ordering = ("-vcount", "id")
