"""Uses the dashboard in a browser as a person does: dashboard.py CABINET STORE [FOLDER for pictures]."""
import asyncio
import os
import signal
import subprocess
import sys

from browser import Browser
from pages import FAULTS, check, eventually, fill

SCHEMA = """DEFINE SCHEMA
RECORD TYPE Coins (
    name    STRING QUERYABLE SORTABLE,
    year    INT64 QUERYABLE SORTABLE,
    country REFERENCE,
    found   TIMESTAMP,
    notes   STRING
);
RECORD TYPE Countries (name STRING QUERYABLE SORTABLE);
"""

class Dashboard:
    def __init__(self, cabinet, store):
        self.cabinet, self.store = cabinet, store
        self.process = subprocess.Popen(
            [cabinet, "dashboard", "--store", store], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().split()[-1]
        self.link = self.process.stdout.readline().split()[-1]
        self.place = f"{self.origin}/dashboard/cabinet/development/private"

    def run(self, *arguments):
        subprocess.run([self.cabinet, *arguments, "--store", self.store], check=True, stdout=subprocess.DEVNULL)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


async def make(browser, dashboard):
    """Makes a schema with its forms, and records without JavaScript."""
    await browser.go(dashboard.link)
    await browser.submit("button")
    check("no record types" in await browser.run("document.body.innerText"), "an empty store does not say what to do")
    await browser.go(dashboard.place + "/schema")
    await browser.run(f"document.querySelector('textarea').value = {SCHEMA!r}")
    await browser.submit("form.schema button")
    check("Coins" in await browser.run("document.querySelector('.changes').innerText"), "the difference is not shown")
    await browser.submit("button[name=apply]")
    await browser.look(1200, scripts=False)
    dashboard.run("save", "it", "--type", "Countries", "--create", "name=Italy")
    await browser.go(dashboard.place + "/new?type=Coins")
    # Evaluating an expression is not the page's script.
    await browser.run("""(() => { const form = document.querySelector("form.edit");
        for (const [name, value] of Object.entries({ name: "lira", "now.name": "Lira", "now.year": "1945", "now.country": "it",
          "now.found": "2026-11-25", "now.notes": "Worn.\\nThe date is clear." })) form.elements[name].value = value; })()""")
    await browser.submit("form.edit button.main")
    text = await browser.run("document.body.innerText")
    check("Lira" in text and "1945" in text and "2026-11-25" in text, "the record was not saved without JavaScript")
    await browser.look(1200)


async def look_at_all(browser, dashboard, pictures):
    pages = {
        "types": "", "records": "/records?type=Coins", "plan": "/records?type=Coins&filter=year%20%3E%201900&sort=-year&plan=1&count=1",
        "record": "/record?name=lira", "country": "/record?name=it", "delete": "/delete?name=it", "new": "/new?type=Coins",
        "zones": "/zones", "changes": "/changes", "schema": "/schema", "fields": "/type?type=Coins",
        "subscriptions": "/subscriptions", "shares": "/shares", "requests": None, "groups": "/records?type=Coins&group=name&sum=year",
        "roles": "/roles", "import": "/import?type=Coins", "users": "/users", "keys": "/keys", "health": "/health",
    }
    for width in [360, 1200, 1600]:
        for dark in [False, True]:
            await browser.look(width, 900, dark)
            for name, path in pages.items():
                await browser.go(f"{dashboard.origin}/dashboard/requests" if path is None else dashboard.place + path)
                if name == "record":
                    await browser.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
                faults = await browser.run(FAULTS)
                check(not faults, f"{name} at {width}, {'dark' if dark else 'light'}: {faults}")
                roles = [role for role, _ in await browser.tree()]
                check("main" in roles and "navigation" in roles and "heading" in roles, f"{name} lacks landmarks")
                if pictures:
                    await browser.picture(os.path.join(pictures, f"{name}-{width}{'-dark' if dark else ''}.png"))
    check(not browser.problems, f"the console has errors: {browser.problems}")
    await browser.look(1200)


async def use_keys(browser, dashboard):
    """Reaches a record by the keyboard alone."""
    await browser.go(dashboard.place)
    await browser.press("Tab", code="Tab", windowsVirtualKeyCode=9)
    check(await browser.run("document.activeElement.className") == "skip", "the first stop is not the link to the content")
    for _ in range(40):
        if await browser.run("document.activeElement.innerText") == "Coins":
            break
        await browser.press("Tab", code="Tab", windowsVirtualKeyCode=9)
    loaded = browser.event("Page.loadEventFired")
    await browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    await asyncio.wait_for(loaded, 30)
    check("records" in await browser.run("location.pathname"), "Enter does not open a type")
    await browser.press("/", code="Slash", text="/")
    check(await browser.run("document.activeElement.name") == "filter", "the key / does not lead to the filter")
    for typed, word in [("ye", "year "), ("year ", "year >= "), ("year >= 1900 ", "year >= 1900 AND "), ("year >= 1900 AND na", "year >= 1900 AND name ")]:
        await fill(browser, {"[name=filter]": typed})
        words = await browser.run("[...document.querySelectorAll('#words option')].map((option) => option.value)")
        check(word in words, f"after '{typed}', '{word}' is not suggested: {words}")


async def conflict(browser, dashboard):
    """Changes a record that another program changes meanwhile."""
    await browser.go(dashboard.place + "/record?name=lira")
    await browser.run("document.querySelector('details:has(form)').open = true")
    await fill(browser, {"[name='now.year']": "1946"})
    dashboard.run("save", "lira", "name=Lira of the mint")
    await eventually(browser, "!document.getElementById('news').hidden", "the page does not say that it has changed")
    await browser.submit("form.edit button.main")
    row = await browser.run("[...document.querySelectorAll('tbody tr')].map((row) => row.innerText).join('|')")
    check("1945\t1945\t1946" in row and "Lira\tLira of the mint\tLira" in row, f"the three states are not shown: {row}")
    await browser.submit("form.edit button.main")
    text = await browser.run("document.body.innerText")
    check("1946" in text and "Lira of the mint" in text, "the merged record was not saved")


async def live(browser, dashboard):
    """Shows what another program saves."""
    await browser.go(dashboard.place + "/records?type=Coins")
    dashboard.run("save", "penny", "--type", "Coins", "--create", "name=Penny", "year=1900")
    await eventually(browser, "document.body.innerText.includes('Penny')", "a saved record does not appear")
    await browser.go(dashboard.place + "/delete?name=it")
    check("lira" not in await browser.run("document.body.innerText"), "a reference without a rule is shown as a cascade")
    await browser.submit("button.danger")
    await browser.go(dashboard.place + "/records?type=Countries")
    check("no records" in await browser.run("document.body.innerText"), "the record was not deleted")


async def main(cabinet, store, pictures=None):
    dashboard = Dashboard(cabinet, store)
    try:
        async with Browser() as browser:
            await make(browser, dashboard)
            await look_at_all(browser, dashboard, pictures)
            await use_keys(browser, dashboard)
            browser.problems.clear()
            await live(browser, dashboard)
            await conflict(browser, dashboard)
    finally:
        status = dashboard.end()
    check(status == 0, f"the dashboard ended with {status}")
    print("The dashboard works in a browser.")


asyncio.run(main(*sys.argv[1:]))
