import os

# Tables of some hundred systems gain nothing from several threads, and lose ten times over where the cores have other
# work to do: OpenBLAS waits for each of its threads. It asks once, when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.celery import app as celery_app

__all__ = ["celery_app"]
