"""The shop's own table. The views are no tables of Django's: no migration makes them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []  # noqa: RUF012 - as Django writes it
    operations = [  # noqa: RUF012
        migrations.CreateModel(
            name="Item",
            fields=[
                ("itemid", models.IntegerField(primary_key=True, serialize=False)),
                ("name", models.TextField()),
            ],
        ),
    ]
