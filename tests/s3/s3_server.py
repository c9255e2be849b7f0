#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An S3 server for tests: moto's, behind a check of each request's signature.

usage: s3_server.py PORT_FILE LOG

moto takes any signature. Here each one is compared with botocore's of the same
request: a wrong one, or a body with another hash than the signed one, is
answered with 403. The port is written to PORT_FILE when the server listens;
one line for each request goes to LOG: method, path, query and status.

The bucket "fleet" is there. Its key is "test-id" with "test-secret", and
"session-id" with "session-secret" and the token "session-token".
"""
import hashlib
import io
import os
import sys
import threading
from urllib.parse import quote, unquote

os.environ.setdefault("AWS_ACCESS_KEY_ID", "test-id")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test-secret")
os.environ.setdefault("AWS_DEFAULT_REGION", "eu-west-1")

import boto3  # noqa: E402
from botocore.auth import S3SigV4Auth  # noqa: E402
from botocore.awsrequest import AWSRequest  # noqa: E402
from botocore.credentials import Credentials  # noqa: E402
from moto.server import DomainDispatcherApplication, create_backend_app  # noqa: E402
from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: E402

SECRETS = {
    "test-id": ("test-secret", None),
    "session-id": ("session-secret", "session-token"),
}


def headers_of(environ):
    return {
        name[5:].replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }


def find_mistake(environ, body):
    """What is wrong with the signature; None: nothing."""
    headers = headers_of(environ)
    given = headers.get("authorization", "")
    if not given.startswith("AWS4-HMAC-SHA256 "):
        return "not signed"
    parts = dict(
        part.split("=", 1) for part in given.split(" ", 1)[1].split(", ")
    )
    key_id, _, region, service, _ = parts["Credential"].split("/")
    names = parts["SignedHeaders"].split(";")
    if key_id not in SECRETS or service != "s3":
        return "an unknown key"
    secret, token = SECRETS[key_id]
    if headers.get("x-amz-security-token") != token:
        return "another session token"
    if headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
        return "another body"
    if "expect" in headers:
        return "Expect"
    if any(
        name.startswith("x-amz-") and name not in names for name in headers
    ):
        return "a header of Amazon's is not signed"
    query = environ.get("QUERY_STRING", "")
    path = environ["RAW_URI"].split("?")[0]
    request = AWSRequest(
        method=environ["REQUEST_METHOD"],
        url="http://%s%s%s"
        % (headers["host"], path, "?" + query if query else ""),
        headers={
            name: headers[name] for name in names if name != "host"
        },
    )
    request.context["timestamp"] = headers["x-amz-date"]
    # Without the token: it is among the headers already.
    auth = S3SigV4Auth(Credentials(key_id, secret), service, region)
    # The path as the server decodes it, and encodes it for the comparison.
    request.url = request.url.replace(path, quote(unquote(path), safe="/~"), 1)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    if auth.signature(text, request) != parts["Signature"]:
        return "another signature"
    return None


class Checked:
    def __init__(self, app, log):
        self.app = app
        self.log = log
        self.checks = False

    def __call__(self, environ, start_response):
        size = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(size)
        environ["wsgi.input"] = io.BytesIO(body)

        def begin(status, headers, exc_info=None):
            self.log.write(
                "%s %s %s %s\n"
                % (
                    environ["REQUEST_METHOD"],
                    environ["PATH_INFO"],
                    environ.get("QUERY_STRING", ""),
                    status,
                )
            )
            return start_response(status, headers, exc_info)

        mistake = find_mistake(environ, body) if self.checks else None
        if mistake is None:
            return self.app(environ, begin)
        begin("403 Forbidden", [("Content-Length", "0")])
        self.log.write("refused: %s\n" % mistake)
        return [b""]


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept

    def log(self, *_):
        pass


def main():
    port_file, log_file = sys.argv[1:3]
    moto = DomainDispatcherApplication(create_backend_app)
    with open(log_file, "w", buffering=1) as log:
        checked = Checked(moto, log)
        server = make_server(
            "127.0.0.1",
            0,
            checked,
            threaded=True,
            request_handler=Handler,
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = boto3.client(
            "s3", endpoint_url="http://127.0.0.1:%d" % server.port
        )
        client.create_bucket(
            Bucket="fleet",
            CreateBucketConfiguration={"LocationConstraint": "eu-west-1"},
        )
        # What is no entry: listed, and passed over.
        for key in ("other object", "x" * 300, "deeper/" + "a" * 64, "pre/+&<"):
            client.put_object(Bucket="fleet", Key=key, Body=b"something")
        # The check itself: what botocore signs is right.
        checked.checks = True
        assert client.list_objects_v2(Bucket="fleet")["KeyCount"] == 4
        with open(port_file + ".new", "w") as file:
            file.write(str(server.port))
        os.rename(port_file + ".new", port_file)
        threading.Event().wait()


if __name__ == "__main__":
    main()
