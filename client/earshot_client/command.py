"""The same from a shell: `earshot-client launch recordings --title "Which voice?"`, `… answers`, `… report`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from earshot_client.connection import Server
from earshot_client.problems import EarshotError
from earshot_client.study import Study


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 1 where the server refused, with its reasons on standard error."""
    asked = _parser().parse_args(arguments)
    try:
        with Server(asked.server, asked.token, progress=not asked.quiet and sys.stderr.isatty()) as server:
            asked.act(server, asked)
    except EarshotError as error:
        print(error, file=sys.stderr)  # noqa: T201 - what a command says
        return 1
    return 0


def _launch(server: Server, asked: argparse.Namespace) -> None:
    settings: dict[str, Any] = {"answers_per_unit": asked.answers_per_unit}
    if asked.systems:
        settings["systems"] = asked.systems
    if asked.listening:
        settings["listening"] = asked.listening
    if asked.loudness is not None:
        settings["target_lufs"] = None if asked.loudness == "none" else float(asked.loudness)
    study = Study.from_folder(
        asked.folder,
        title=asked.title,
        protocol=asked.protocol,
        dataset=asked.dataset,
        open_it=not asked.draft,
        server=server,
        **settings,
    )
    _say(study.slug)


def _invite(server: Server, asked: argparse.Namespace) -> None:
    for link in Study(asked.study, server=server).invite(asked.n):
        _say(link)


def _progress(server: Server, asked: argparse.Namespace) -> None:
    _say(Study(asked.study, server=server).progress().to_string())


def _answers(server: Server, asked: argparse.Namespace) -> None:
    _write(Study(asked.study, server=server).answers(), asked.to)


def _judge(server: Server, asked: argparse.Namespace) -> None:
    study = Study(asked.study, server=server)
    run = study.run_judge(asked.kind, title=asked.title, orders=asked.orders)
    _write(study.verdicts(run), asked.to)


def _report(server: Server, asked: argparse.Namespace) -> None:
    settings = dict(it.split("=", 1) for it in asked.set)
    report = Study(asked.study, server=server).report(asked.kind, **settings)
    if asked.keep:
        report.keep()
    for path in report.save(asked.to or f"{asked.study}-{asked.kind}", forms=asked.forms):
        _say(str(path))
    _say(report.address)


def _export(server: Server, asked: argparse.Namespace) -> None:
    for path in Study(asked.study, server=server).export(asked.formats, asked.to or ".", judges=asked.judges):
        _say(str(path))


def _turn(turn: Callable[[Study], object]) -> Callable[[Server, argparse.Namespace], None]:
    return lambda server, asked: (turn(Study(asked.study, server=server)), None)[1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="earshot-client", description="Run listening studies on an Earshot server.")
    parser.add_argument("--server", default="", help="its address; else EARSHOT_URL")
    parser.add_argument("--token", default="", help="else EARSHOT_TOKEN, which does not show in lists of processes")
    parser.add_argument("--quiet", action="store_true", help="without progress bars")
    commands = parser.add_subparsers(required=True, metavar="command")

    launch = commands.add_parser("launch", help="a folder of recordings as a study; prints its name")
    launch.add_argument("folder", type=Path)
    launch.add_argument("--title", required=True, help="annotators read it, so let it name no system")
    launch.add_argument("--protocol", default="hcot", help="name or name/version (hcot)")
    launch.add_argument("--dataset", default="", help="name of the dataset; else that of the folder")
    launch.add_argument("--systems", nargs="+", help="those that take part; else all")
    launch.add_argument("--answers-per-unit", type=int, default=1)
    launch.add_argument("--listening", choices=["full", "seconds", "none"])
    launch.add_argument("--loudness", help="LUFS, or none for each clip's own level")
    launch.add_argument("--draft", action="store_true", help="do not open it")
    launch.set_defaults(act=_launch)

    for name, turn, about in (
        ("open", Study.open, "let annotators in"),
        ("pause", Study.pause, "keep annotators out for now"),
        ("close", Study.close, "end it for good"),
    ):
        _of_study(commands, name, about).set_defaults(act=_turn(turn))
    invite = _of_study(commands, "invite", "print invitation links for one person each")
    invite.add_argument("n", type=int, nargs="?", default=1)
    invite.set_defaults(act=_invite)
    _of_study(commands, "progress", "how far it is").set_defaults(act=_progress)
    answers = _of_study(commands, "answers", "the answers as CSV or Parquet")
    answers.add_argument("--to", help="a file .csv or .parquet; else CSV to standard output")
    answers.set_defaults(act=_answers)
    judge = _of_study(commands, "judge", "run a judge, and print or save its verdicts")
    judge.add_argument("kind", help="such as longest")
    judge.add_argument("--title", default="")
    judge.add_argument("--orders", default="both")
    judge.add_argument("--to", help="a file .csv or .parquet")
    judge.set_defaults(act=_judge)
    report = _of_study(commands, "report", "compute a report, and save its figures")
    report.add_argument("kind")
    report.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="settings of the report")
    report.add_argument("--forms", nargs="+", default=["csv", "svg"])
    report.add_argument("--keep", action="store_true", help="give it a permanent address")
    report.add_argument("--to", help="a folder")
    report.set_defaults(act=_report)
    export = _of_study(commands, "export", "download exports")
    export.add_argument("formats", nargs="+", help="such as csv, trace, hugging-face")
    export.add_argument("--judges", action="store_true", help="with verdicts")
    export.add_argument("--to", help="a folder")
    export.set_defaults(act=_export)
    return parser


def _of_study(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about)
    parser.add_argument("study", help="its name in addresses, as launch prints it")
    return parser


def _write(table: pd.DataFrame, to: str | None) -> None:
    if to is None:
        table.to_csv(sys.stdout, index=False)
    elif to.endswith(".parquet"):
        table.to_parquet(to, index=False)
    else:
        table.to_csv(to, index=False)


def _say(text: str) -> None:
    print(text)  # noqa: T201 - what a command says


if __name__ == "__main__":
    sys.exit(main())
