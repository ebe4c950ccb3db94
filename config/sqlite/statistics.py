"""What SQLite's planner knows of the rows: nothing, unless it is told to look."""

from django.db import connection

#: So many rows of each index are looked at; all of them would take seconds in a large table.
ROWS = 400


def analyse() -> None:
    """Note how the values of each index spread. Another database does so by itself.

    Without it SQLite believes that a unique column finds one row, even where its value is missing: it would look for
    somebody's first answers of an hour among all answers that supersede none, which are nearly all there are. A
    connection goes by what was noted when it was opened.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit={ROWS}")
            cursor.execute("ANALYZE")
