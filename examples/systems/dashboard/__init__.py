"""A Django project whose charts are views that Groundswell keeps in PostgreSQL.

``models`` has the views as read-only models beside the shop's own tables, ``router`` sends the
first to the database ``views`` and the rest to ``default``, ``rankings`` asks the ORM, ``pages``
answers, and the template draws. ``server`` starts it as a process of its own, for the demos.
"""
