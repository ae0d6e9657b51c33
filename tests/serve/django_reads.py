"""Reads the shop by Django's ORM; the argument is the server's port."""

# ruff: noqa: E402 - Django is set up first

import sys
from io import StringIO

import django
from django.conf import settings

settings.configure(
    USE_TZ=True,
    TIME_ZONE="UTC",
    INSTALLED_APPS=[],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": "127.0.0.1",
            "PORT": sys.argv[1],
            "NAME": "groundswell",
            "USER": "ann",
        }
    },
)
django.setup()
from django.db import InternalError, connection, models
from django.db.models import Count, Exists, F, OuterRef, Q, Sum, Window
from django.db.models.functions import Rank, TruncHour, Upper


class PerCustomer(models.Model):
    customer = models.TextField(primary_key=True)
    n = models.BigIntegerField()
    total = models.DecimalField(max_digits=22, decimal_places=2)

    class Meta:
        app_label, managed, db_table = "shop", False, "per_customer"


class Order(models.Model):
    id = models.BigIntegerField(primary_key=True)
    customer = models.ForeignKey(PerCustomer, models.DO_NOTHING, db_column="customer")
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    at = models.DateTimeField()

    class Meta:
        app_label, managed, db_table = "shop", False, "large"


assert PerCustomer.objects.get(pk="c0").n == 58
named = PerCustomer.objects.filter(customer__startswith="c", customer__iregex="^C[01]$", n__gt=1)
assert sorted(named.values_list("customer", flat=True)) == ["c0", "c1"]
found = Order.objects.aggregate(s=Sum("amount"), c=Count("customer", distinct=True))
assert found["c"] == 7 and str(found["s"]) == "19950.00"
counted = Order.objects.values("customer").annotate(c=Count("id"))
most = counted.filter(c__gt=57).order_by("customer")
assert [row["customer"] for row in most] == ["c0"]
assert Order.objects.select_related("customer").get(pk=8).customer.total > 0
assert Order.objects.filter(Q(pk__in=[1, 2]) | Q(amount__lt=0)).exclude(pk=1).count() == 1
assert Order.objects.filter(pk=8).exists() and not Order.objects.filter(pk=-1).exists()
assert sum(1 for _ in Order.objects.iterator(chunk_size=50)) == 400
large = Order.objects.filter(customer=OuterRef("pk"), amount__gt=99)
assert PerCustomer.objects.filter(Exists(large)).count() == 3
rank = Window(Rank(), order_by=F("total").desc())
ranked = PerCustomer.objects.annotate(r=rank, u=Upper("customer"))
assert [p.u for p in ranked.order_by("r")[:1]] == ["C0"]
hours = Order.objects.annotate(h=TruncHour("at")).values("h").annotate(c=Count("id")).order_by("h")
assert hours[0]["c"] == 60 and hours[0]["h"].hour == 12
names = connection.introspection.table_names(include_views=True)
assert {"large", "per_customer"} <= set(names)
with connection.cursor() as cursor:
    of = connection.introspection.get_constraints(cursor, "large")
assert of["large_pkey"]["columns"] == ["id"]
from django.core.management import call_command

out = StringIO()
call_command("inspectdb", "large", include_views=True, stdout=out)
assert "amount = models.DecimalField(max_digits=12, decimal_places=2" in out.getvalue()
refused = ""
try:
    PerCustomer.objects.create(customer="x", n=1, total=1)
except InternalError as error:
    refused = error.__cause__.sqlstate
assert refused == "25006"
