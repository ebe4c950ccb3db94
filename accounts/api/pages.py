"""Lists come in pages, by a cursor: what is added meanwhile neither repeats rows nor hides them."""

from typing import Any

from django.core.exceptions import ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination


class Pages(CursorPagination):
    """Newest first, a hundred rows unless `page_size` says otherwise."""

    ordering = "-pk"
    page_size = 100
    max_page_size = 500
    page_size_query_param = "page_size"

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, OverflowError, ValidationError) as error:  # a cursor that this API did not create
            raise NotFound(self.invalid_cursor_message) from error


class FirstFirst(Pages):
    """In the order in which the rows came."""

    ordering = "pk"


class NewestByTime(Pages):
    """For rows whose ids tell no order."""

    ordering = "-created_at"
