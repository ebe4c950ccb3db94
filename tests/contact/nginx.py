"""An nginx with docker/nginx.conf filled in as the nginx image fills it in, and a name server for it."""

import os
import socket
import struct
import subprocess
import threading
from pathlib import Path

import yaml

from tests.browser.server import free_port, wait_for
from tests.paths import PROJECT

DOCKER = PROJECT / "docker"
SUFFIX_OF_ANSWER = b"\xc0\x0c\x00\x01\x00\x01"  # the name of the question, an address, of the Internet
#: What the image does at its start: sources the scripts of /docker-entrypoint.d/, and has envsubst put in the values
#: of those variables that match NGINX_ENVSUBST_FILTER.
FILL_IN = r"""
set -eu
. "$1"
envsubst "$(env | sed -n 's/^\(NGINX_[A-Z_]*\)=.*/${\1}/p' | tr '\n' ' ')" < "$2"
"""
AROUND = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 2;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/conf.d/*.conf;
}}
"""


def filled_in(**values: str) -> str:
    """docker/nginx.conf as the image makes it of the environment in compose.yml, but for these values."""
    service = yaml.safe_load((DOCKER / "compose.yml").read_text(encoding="utf-8"))["services"]["nginx"]
    environment = service["environment"] | {"NGINX_TRUSTED_PROXIES": ""} | values
    command = ["sh", "-c", FILL_IN, "sh", str(DOCKER / "nginx-trusted-proxies.envsh"), str(DOCKER / "nginx.conf")]
    path = {"PATH": os.environ["PATH"]}
    return subprocess.run(command, env=path | environment, capture_output=True, text=True, check=True).stdout


class NameServer:
    """Answers every question for an address with those in `addresses`, as Docker's does for the name of a service."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)
        self._line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._line.bind(("127.0.0.1", 0))
        self.place = "{}:{}".format(*self._line.getsockname())
        threading.Thread(target=self._answer, daemon=True).start()

    def close(self) -> None:
        self._line.close()

    def _answer(self) -> None:
        while True:
            try:
                asked, asker = self._line.recvfrom(512)
            except OSError:  # closed
                return
            question = asked[12 : asked.index(b"\0", 12) + 5]
            head = asked[:2] + struct.pack(">HHHHH", 0x8180, 1, len(self.addresses), 0, 0)
            found = [
                SUFFIX_OF_ANSWER + struct.pack(">IH", 1, 4) + socket.inet_aton(address) for address in self.addresses
            ]
            self._line.sendto(head + question + b"".join(found), asker)


class Nginx:
    """`program`, started in front of web processes that the name server names."""

    def __init__(self, program: str, folder: Path, names: NameServer, *, web_port: int, trusted: str) -> None:
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        conf = folder / "conf.d"
        conf.mkdir(parents=True)
        (conf / "default.conf").write_text(
            filled_in(
                NGINX_PORT=str(self.port),
                NGINX_RESOLVER=names.place,
                NGINX_WEB=f"web:{web_port}",
                NGINX_TRUSTED_PROXIES=trusted,
            )
        )
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        folder.chmod(0o755)  # its workers run as another user
        command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        with (folder / "access.log").open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log)

    def wait(self) -> None:
        wait_for(f"http://{self.host}/healthz")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
