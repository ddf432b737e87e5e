#!/usr/bin/env python3
"""explore.py --sinpos PROGRAM: sinpos explore, with a page of the test's own: written, served on this machine alone, and
missed in one line. Prints TAP."""
import argparse
import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.parse

PAGE = ("<!doctype html><title>a page</title>" + "0123456789" * 40000).encode()
count = 0
failed = 0


def ok(holds, what):
    global count, failed
    count += 1
    failed += not holds
    print(f"{'ok' if holds else 'not ok'} {count} - {what}")


def installed(program, folder):
    """A copy of the program in folder/bin, which finds the libraries of the build."""
    build = program.resolve().parent.parent
    (folder / "bin").mkdir()
    (folder / "share/sinpos").mkdir(parents=True)
    shutil.copy(program, folder / "bin/sinpos")
    libraries = ":".join(str(build / name) for name in ("src", "analysis", "formats"))
    return folder / "bin/sinpos", {**os.environ, "LD_LIBRARY_PATH": libraries, "BROWSER": "true"}


def request(address, method="GET", path="/"):
    place = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=10)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read(), dict(answer.getheaders())


def raw(address, text):
    """All that is sent back, which a library for HTTP would cut."""
    place = urllib.parse.urlsplit(address)
    with socket.create_connection((place.hostname, place.port), 10) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def served(address):
    status, body, headers = request(address)
    ok(status == 200 and body == PAGE, "serves the page")
    ok(headers.get("Content-Type") == "text/html; charset=utf-8" and headers.get("Cache-Control") == "no-store",
       "as HTML that is not kept")
    head = raw(address, b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    ok(head.startswith(b"HTTP/1.1 200") and b"Content-Length: %d\r\n" % len(PAGE) in head and head.endswith(b"\r\n\r\n"),
       "HEAD has no body")
    ok(request(address, path="/sinpos.html")[0] == 200, "by its name too")
    ok(request(address, path="/../sinpos")[0] == 404, "nothing else is there")
    ok(request(address, "POST")[0] == 405, "and nothing is taken")
    place = urllib.parse.urlsplit(address)
    with socket.create_connection((place.hostname, place.port), 10) as rude:
        rude.sendall(b"x" * 20000)
    ok(request(address)[0] == 200, "a request that is too long ends nothing")
    with socket.socket() as other:  # of this machine, and not the one that is served
        other.settimeout(5)
        ok(place.hostname == "127.0.0.1" and other.connect_ex(("127.0.0.2", place.port)) != 0, "on one loopback address alone")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinpos", type=pathlib.Path, required=True)
    with tempfile.TemporaryDirectory() as folder:
        program, environment = installed(parser.parse_args().sinpos, pathlib.Path(folder))

        def run(*words):
            return subprocess.run([program, "explore", *words], capture_output=True, env=environment, cwd=folder, timeout=20)

        page = pathlib.Path(folder) / "share/sinpos/sinpos.html"
        done = run("-o", "out.html")
        lines = done.stderr.decode().splitlines()
        ok(done.returncode == 3 and len(lines) == 2 and lines[0] == "sinpos: explorer: its page is not there"
           and "make web" in lines[1], "without the page one line, and how to build it")
        page.write_bytes(b"")
        ok(run().returncode == 3, "an empty page is refused")
        page.write_bytes(PAGE)
        done = run("-o", "out.html")
        ok(done.returncode == 0 and (pathlib.Path(folder) / "out.html").read_bytes() == PAGE, "-o writes the page")
        ok(run("-o", "-").stdout == PAGE, "-o - prints it")
        ok(run("-o", "none/out.html").returncode == 3, "a folder that is missing is an error of the file")
        ok(run("page").returncode == 2 and run("--dim", "4").returncode == 2, "what it does not know is wrong usage")
        with subprocess.Popen([program, "explore"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
            served(server.stdout.readline().decode().strip())
            server.send_signal(signal.SIGINT)
            ok(server.wait(10) == -signal.SIGINT, "ends by Ctrl-C")
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
