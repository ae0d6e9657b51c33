"""The pages, and the JSON that refreshes them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path

from dashboard.rankings import PAGES, charts


def page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in PAGES:
        raise Http404
    return render(request, "dashboard.html", {"name": name, "title": PAGES[name][0]})


def data(request: HttpRequest, name: str) -> JsonResponse:
    if name not in PAGES:
        raise Http404
    return JsonResponse({"charts": charts(name)}, headers={"Cache-Control": "no-store"})


urlpatterns = [path("<slug:name>/", page), path("<slug:name>/charts.json", data)]
