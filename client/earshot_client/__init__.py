"""Listening studies on an Earshot server: `Study.from_folder(…)`, `study.answers()`, `study.report(…)`."""

from earshot_client.connection import Server
from earshot_client.problems import EarshotError, Problem, Unreachable, WorkFailed
from earshot_client.reports import Figure, Report
from earshot_client.study import Study

__all__ = ["EarshotError", "Figure", "Problem", "Report", "Server", "Study", "Unreachable", "WorkFailed"]
__version__ = "1.0.0"
