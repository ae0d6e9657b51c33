"""Two databases: ``default`` is the shop's own, ``views`` is kept by the sink and only read."""

import os
import secrets

SECRET_KEY = os.environ.get("DASHBOARD_SECRET") or secrets.token_hex()
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
INSTALLED_APPS = ["dashboard"]
ROOT_URLCONF = "dashboard.pages"
DATABASE_ROUTERS = ["dashboard.router.ViewsRouter"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
_SERVER = {
    "ENGINE": "django.db.backends.postgresql",
    "HOST": os.environ.get("PGHOST", "127.0.0.1"),
    "PORT": os.environ.get("PGPORT", "5432"),
    "USER": os.environ.get("PGUSER", "owner"),
    "PASSWORD": os.environ.get("PGPASSWORD", ""),
    "CONN_MAX_AGE": 60,
}
DATABASES = {
    "default": {**_SERVER, "NAME": os.environ.get("SHOP_DATABASE", "shop")},
    "views": {
        **_SERVER,
        "NAME": os.environ.get("VIEWS_DATABASE", "views"),
        "OPTIONS": {"options": "-c default_transaction_read_only=on"},
    },
}
