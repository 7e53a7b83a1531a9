#!/usr/bin/env python3
"""Measures pages of the dashboard: the server's processor time for one request, and the bytes of the page.

    Scripts/measure-dashboard.py CABINET    CABINET is a program of `swift build -c release`
"""
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PLACE = "/dashboard/cabinet/development/private"
PAGES = [
    ("5,000 records", "coins", [
        ("record types", "", 200), ("100 records", "/records?type=Coins", 400), ("100 records by an index", "/records?type=Coins&sort=-year", 400),
        ("100 records of a filter", "/records?type=Coins&filter=year%20%3E%201600", 400), ("a record", "/record?name=coin-000077", 400),
    ]),
    ("100,000 records", "many", [
        ("record types", "", 40), ("100 records", "/records?type=Coins", 400), ("100 records by an index", "/records?type=Coins&sort=-year", 400),
        ("100 records of a filter", "/records?type=Coins&filter=year%20%3E%201600", 400), ("a record", "/record?name=coin-000077", 400),
        ("groups, sums, means and limits", "/records?type=Coins&group=country&of=weight", 5),
    ]),
    ("300 types, and one of 1,000 fields", "wide", [
        ("record types", "", 20), ("100 records", "/records?type=Wide", 200), ("a record", "/record?name=wide-7", 20), ("a new record", "/new?type=Wide", 100),
        ("the fields of a type", "/type?type=Wide", 100),
    ]),
]


def coins(count):
    yield json.dumps({"schema": "DEFINE SCHEMA RECORD TYPE Coins (name STRING QUERYABLE SORTABLE, year INT64 QUERYABLE SORTABLE, weight DOUBLE, "
                                "country STRING QUERYABLE, mint STRING, found TIMESTAMP, notes STRING);"})
    for number in range(count):
        yield json.dumps({"recordName": f"coin-{number:06}", "recordType": "Coins", "fields": {
            "name": f"Coin number {number}", "year": 1500 + number % 500, "weight": number / 7, "country": ["Italy", "France", "Spain", "Greece"][number % 4],
            "found": {"timestamp": "2026-11-23T08:00:00Z"}, "mint": f"mint {number % 10}", "notes": "Worn. The date is clear; the rim is not. " * 2}})


def wide():
    fields = ", ".join(f"field{number} {'STRING' if number % 2 == 0 else 'INT64'}" for number in range(1000))
    types = " ".join(f"RECORD TYPE Type{number} (name STRING QUERYABLE SORTABLE, other REFERENCE);" for number in range(300))
    yield json.dumps({"schema": f"DEFINE SCHEMA {types} RECORD TYPE Wide ({fields});"})
    for name in range(100):
        yield json.dumps({"recordName": f"wide-{name}", "recordType": "Wide", "fields": {
            f"field{number}": f"text {number}" if number % 2 == 0 else number for number in range(1000)}})


class Dashboard:
    def __init__(self, cabinet, store):
        self.process = subprocess.Popen([cabinet, "dashboard", "--store", store], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().split()[-1]
        code = self.process.stdout.readline().split("code=")[1].strip()
        self.connection = http.client.HTTPConnection(self.origin.split("//")[1])
        head = {"Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        self.connection.request("POST", "/dashboard/sign-in", f"code={code}", head)
        response = self.connection.getresponse()
        response.read()
        self.cookie = response.getheader("Set-Cookie").split(";")[0]

    def get(self, page):
        self.connection.request("GET", PLACE + page, headers={"Cookie": self.cookie})
        response = self.connection.getresponse()
        text = response.read()
        assert response.status == 200, f"{page}: {response.status}"
        return text

    def processor_time(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, name, page, count):
        size = len(self.get(page))
        for _ in range(count // 20):
            self.get(page)
        processor, clock = self.processor_time(), time.monotonic()
        for _ in range(count):
            self.get(page)
        processor, clock = self.processor_time() - processor, time.monotonic() - clock
        print(f"  {name:32}{size:9,} bytes{processor / count * 1000:8.2f} ms of processor time{clock / count * 1000:8.2f} ms", flush=True)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def main(cabinet):
    with tempfile.TemporaryDirectory() as folder:
        for title, name, pages in PAGES:
            store, file = os.path.join(folder, name), os.path.join(folder, f"{name}.jsonl")
            with open(file, "w") as lines:
                for line in wide() if name == "wide" else coins(5_000 if name == "coins" else 100_000):
                    lines.write(line + "\n")
            subprocess.run([cabinet, "import", file, "--store", store, "--plain"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            print(title, flush=True)
            dashboard = Dashboard(cabinet, store)
            for page in pages:
                dashboard.measure(*page)
            dashboard.end()


main(*sys.argv[1:])
