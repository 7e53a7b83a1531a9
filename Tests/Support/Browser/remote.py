"""Uses the dashboard of a store on a server, and that of a mirror of it: remote.py CABINET FOLDER."""
import asyncio
import os
import signal
import subprocess
import sys

from browser import Browser
from pages import FAULTS, check, eventually, fill

CONTAINER = "com.example.coins"


class Process:
    """A program that serves pages until it is ended."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().split()[-1]

    def link(self):
        return self.process.stdout.readline().split()[-1]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        return self.process.wait(30)


class Commands:
    def __init__(self, cabinet, folder):
        self.cabinet, self.folder = cabinet, folder
        self.store, self.mirror = os.path.join(folder, "store"), os.path.join(folder, "mirror")
        self.credentials = os.path.join(folder, "ann.json")

    def run(self, *arguments):
        return subprocess.run([self.cabinet, *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout

    def remote(self, server):
        return ["--store", server.origin, "--container", CONTAINER, "--credentials", self.credentials]

    def synchronize(self, server):
        self.run("mirror", "--store", self.mirror, "--mirror", server.origin, "--container", CONTAINER, "--credentials", self.credentials)


async def choose(browser, selector, *files):
    root = (await browser.call("DOM.getDocument"))["root"]["nodeId"]
    node = (await browser.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
    await browser.call("DOM.setFileInputFiles", files=list(files), nodeId=node)


async def server_pages(browser, commands, server, dashboard):
    """Every page of a store on a server works, or says what a server does not tell."""
    await browser.go(dashboard.link())
    await browser.submit("button")
    place = f"{dashboard.origin}/dashboard/{CONTAINER}/development/private"
    check("Coins" in await browser.run("document.querySelector('table').innerText"), "the record types of the server are not shown")
    pages = ["", "/records?type=Coins", "/record?name=penny", "/zones", "/changes", "/schema", "/roles", "/subscriptions", "/shares",
             "/import", "/health"]
    for page in pages:
        await browser.go(place + page)
        faults = await browser.run(FAULTS)
        check(not faults, f"{page}: {faults}")
        check(not await browser.run("document.querySelector('[role=alert]')?.innerText"), f"{page} fails on a server")
    text = await browser.run("document.querySelector('main').innerText")
    check("answers in" in text and "cabinet verify" in text and "users and keys" in text, f"the health of a server is not explained: {text}")
    check("\t1\t2" in text, f"the counts are not shown: {text}")
    links = await browser.run("[...document.querySelectorAll('.pages a')].map((link) => link.innerText)")
    check("Health" in links and "Import" in links and "Users" not in links, f"the pages are not those of a server: {links}")
    rows = os.path.join(commands.folder, "coins.csv")
    with open(rows, "w") as file:
        file.write("recordName,name,year\nmark,Mark,1990\nfranc,Franc,1960\n")
    await browser.go(place + "/import?type=Coins")
    await choose(browser, "[name=file]", rows)
    await browser.submit("form.edit button.main")
    check("2 records of Coins" in await browser.run("document.querySelector('.changes').innerText"), "the import is not shown before")
    await browser.submit("main button.main")
    check("Imported 2 records" in await browser.run("document.querySelector('main').innerText"), "the rows were not imported into the server")
    check("Mark" in commands.run("query", "Coins", *commands.remote(server)), "the server does not have the imported rows")
    await browser.go(place)
    sizes = await browser.run("""fetch(document.querySelector('a[href*="format=zip"]').href).then(async (answer) => {
        const bytes = new Uint8Array(await answer.arrayBuffer()); return [answer.status, bytes.length, bytes[0], bytes[1]]; })""")
    check(sizes[0] == 200 and sizes[1] > 300 and sizes[2:] == [0x50, 0x4B], f"the archive is not sent: {sizes}")
    await browser.go(f"{dashboard.origin}/dashboard/act?container={CONTAINER}&environment=development&user=_ben")
    check("credentials" in await browser.run("document.querySelector('[role=alert]').innerText"), "acting as another user is not refused")


async def mirror_pages(browser, commands, server, dashboard):
    """An edit in the store of a mirror is sent, and its page says what is not sent yet."""
    await browser.go(dashboard.link())
    await browser.submit("button")
    place = f"{dashboard.origin}/dashboard/cabinet/development/private"
    await browser.go(place + "/record?name=penny")
    check("Server" not in await browser.run("document.querySelector('aside').innerText"), "a record that was sent is shown as one to send")
    await browser.run("document.querySelector('details:has(form.edit)').open = true")
    await fill(browser, {"[name='now.name']": "Penny of the mirror"})
    await browser.submit("form.edit button.main")
    check("to be sent" in await browser.run("document.querySelector('aside').innerText"), "the record does not say that it is to be sent")
    await browser.go(place + "/health")
    check("1 change is not on the server yet" in await browser.run("document.querySelector('main').innerText"), "the mirror is not shown")
    await browser.go(place + "/record?name=penny")
    commands.synchronize(server)
    await eventually(browser, "!document.querySelector('aside').innerText.includes('to be sent')", "the page does not follow the send")
    check("Penny of the mirror" in commands.run("get", "penny", *commands.remote(server)), "the edit did not reach the server")


async def main(cabinet, folder):
    commands = Commands(cabinet, folder)
    user = commands.run("users", "add", "ann", "--store", commands.store).strip()
    commands.run("users", "sign-in", "ann", "--to", commands.credentials, "--store", commands.store)
    server = Process(cabinet, "serve", "--container", CONTAINER, "--store", commands.store, "--listen", "127.0.0.1:0")
    started = [server]
    try:
        commands.run("save", "penny", "--type", "Coins", "--create", "name=Penny", "year=1900", *commands.remote(server))
        commands.run("save", "it", "--type", "Countries", "--create", "name=Italy", *commands.remote(server))
        async with Browser() as browser:
            started.append(Process(cabinet, "dashboard", *commands.remote(server)))
            await server_pages(browser, commands, server, started[-1])
            # The refusal to act as another user has a status of its own.
            problems = [problem for problem in browser.problems if "403" not in problem]
            check(not problems, f"the console has errors: {problems}")
            commands.synchronize(server)
            started.append(Process(cabinet, "dashboard", "--store", commands.mirror, "--account", user))
            await mirror_pages(browser, commands, server, started[-1])
    finally:
        statuses = [process.end() for process in reversed(started)]
    check(statuses == [0, 0, 0], f"the programs ended with {statuses}")
    print("The dashboard of a server works in a browser.")


asyncio.run(main(*sys.argv[1:]))
