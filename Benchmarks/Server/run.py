"""What `cabinet serve` costs: processor time of the server for each request, measured by wrk.

    run.py CABINET CONSTANT LOOKUP TWIN-PYTHON DSN [SECONDS]

CABINET is a release build of the program, CONSTANT and LOOKUP the programs of constant.c and lookup.c, TWIN-PYTHON a Python with uvicorn, uvloop, httptools
and asyncpg, and DSN a PostgreSQL database that may be filled. 64 connections send requests of CloudKit's dialect. Each
row says the processor time of the server and of PostgreSQL for one request, the requests in a second, and how long half
of them and all but a hundredth wait at half of that load.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TICK = os.sysconf("SC_CLK_TCK")
PATH = "/database/1/com.example.bench/development/private"


def seconds_of(pid):
    """Processor time of a process, with that of its threads, also of those that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        # The name before may have spaces.
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def backends():
    """Processor time of PostgreSQL's processes."""
    found = subprocess.run(["pgrep", "postgres"], capture_output=True, text=True).stdout.split()
    total = 0
    for pid in found:
        try:
            total += seconds_of(pid)
        except FileNotFoundError:
            pass
    return total


def record(name):
    return {
        "recordName": name, "recordType": "Items",
        "fields": {
            "title": {"value": "Item number %d of the list", "type": "STRING"},
            "number": {"value": 12345, "type": "INT64"},
            "price": {"value": 12.75, "type": "DOUBLE"},
            "due": {"value": 1790000000000, "type": "TIMESTAMP"},
            "note": {"value": "A line of text that is somewhat longer than a name", "type": "STRING"},
        },
    }


def save(names):
    return {"atomic": True, "operations": [
        {"operationType": "forceReplace", "record": record(name)} for name in names]}


def requests(token):
    return {
        "fetch one": ("/records/lookup", {"records": [{"recordName": "r%d"}]}),
        "query of 100": ("/records/query", {"query": {"recordType": "Items"}, "resultsLimit": 100}),
        "changes, none": ("/changes/zone", {"zones": [{"zoneID": {"zoneName": "_defaultZone"}, "syncToken": token}]}),
        "save one": ("/records/modify", save(["r%d"])),
        # A hundred neighbors, so that no name occurs twice.
        "save 100": ("/records/modify", save([f"batch%d-{each}" for each in range(100)])),
    }


class Server:
    def __init__(self, name, command, token="", environment=None):
        self.name, self.token = name, token
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        line = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", line).group()
        # The log of requests is written as to a file.
        subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)

    def post(self, path, body):
        request = urllib.request.Request(
            self.url + PATH + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def fill(self):
        for start in range(0, 10_000, 100):
            answer = self.post("/records/modify", save([f"r{start + each}" for each in range(100)]))
            assert len(answer["records"]) == 100 and "serverErrorCode" not in answer["records"][0], answer["records"][0]
        token = ""
        while True:
            zone = {"zoneID": {"zoneName": "_defaultZone"}}
            if token:
                zone["syncToken"] = token
            found = self.post("/changes/zone", {"zones": [zone]})["zones"][0]
            token = found["syncToken"]
            if not found.get("moreComing"):
                return token

    def load(self, path, body, duration, connections=64, wait=0):
        """Sends requests for some seconds; returns the number of answers and the waits in microseconds."""
        with tempfile.NamedTemporaryFile("w", suffix=".request") as file:
            file.write(f"{PATH}{path}\n{self.token}\n{body}")
            file.flush()
            run = subprocess.run(
                ["wrk", "-t2", f"-c{connections}", f"-d{duration}s", "-s", f"{HERE}/load.lua", self.url, "--",
                 file.name, str(wait)], capture_output=True, text=True, check=True)
        result = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", run.stdout)
        count, _, failed, median, late = map(int, result.groups())
        assert failed == 0, f"{self.name}: {failed} of {count} failed"
        return count, median, late

    def measure(self, row, path, body, duration):
        text = body if isinstance(body, str) else json.dumps(body)
        self.load(path, text, 1)
        before, database, start = seconds_of(self.process.pid), backends(), time.monotonic()
        count, _, _ = self.load(path, text, duration)
        spent, server = seconds_of(self.process.pid) - before, backends() - database
        rate = count / (time.monotonic() - start)
        _, median, late = self.load(path, text, duration, wait=round(64_000 / (rate / 2)))
        print(f"| {row} | {self.name} | {1e6 * spent / count:,.1f} | {1e6 * server / count:,.0f} | {rate:,.0f} "
              f"| {median / 1000:.2f} | {late / 1000:.2f} |", flush=True)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def cabinet(program, name, store, schema):
    folder = tempfile.mkdtemp()
    environment = {"CABINET_STORE": store or f"{folder}/store"}

    def run(*arguments):
        return subprocess.run(
            [program, *arguments, "--schema", schema], env={**os.environ, **environment}, capture_output=True,
            text=True, check=True).stdout.strip()

    run("users", "add", "bench")
    token = run("users", "sign-in", "bench")
    with open(f"{folder}/cabinet.json", "w") as file:
        json.dump({"listen": ["127.0.0.1:0"], "limits": {"userRate": 1_000_000, "addressRate": 1_000_000}}, file)
    return Server(
        name, [program, "serve", "--container", "com.example.bench", "--config", f"{folder}/cabinet.json",
               "--schema", schema], token, environment)


def main(program, constant, lookup, python, dsn, duration="5"):
    print("| Request | Server | µs of the server | µs of PostgreSQL | requests a second | median at half load, ms | 99 % |")
    print("|---|---|---|---|---|---|---|", flush=True)
    duration = int(duration)
    for size in (600, 45_000):
        server = Server("constant", [constant, str(size)])
        server.measure(f"constant, {size} bytes", "/", "{}", duration)
        server.stop()
    with tempfile.TemporaryDirectory() as folder:
        server = Server("C, SQLite", [lookup, f"{folder}/items.sqlite"])
        server.measure("fetch one", *requests("")["fetch one"], duration)
        server.stop()
    servers = [
        lambda: cabinet(program, "Cabinet, SQLite", None, "cabinet"),
        lambda: cabinet(program, "Cabinet, PostgreSQL", dsn, f"bench{os.getpid()}"),
        lambda: Server("uvicorn, asyncpg", [python, f"{HERE}/twin.py", dsn]),
    ]
    for make in servers:
        server = make()
        token = server.fill()
        for row, (path, body) in requests(token).items():
            server.measure(row, path, body, duration)
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
