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

# The roles that a screen reader reads with their names.
NAMED = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "listbox", "table", "navigation", "heading", "meter", "img",
         "columnheader", "rowheader", "progressbar"}


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
        "subscriptions": "/subscriptions", "shares": "/shares", "requests": None, "groups": "/records?type=Coins&group=name&of=year",
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
                tree = await browser.tree()
                roles = [role for role, _ in tree]
                check("main" in roles and "navigation" in roles and "heading" in roles, f"{name} lacks landmarks")
                nameless = [role for role, label in tree if role in NAMED and not label.strip()]
                check(not nameless, f"{name} has nodes without a name: {nameless}")
                if pictures:
                    await browser.picture(os.path.join(pictures, f"{name}-{width}{'-dark' if dark else ''}.png"))
    check(not browser.problems, f"the console has errors: {browser.problems}")
    await browser.look(1200)


async def open_forms(browser, dashboard):
    """The form below the button of the header is within the window, however long the name of the store is."""
    await browser.go(dashboard.place)
    for width in [360, 480, 640, 896, 900, 1000, 1200, 1600]:
        await browser.look(width, 900)
        outside = await browser.run("""(() => { document.querySelector('.act').open = true; const outside = [];
            for (let length = 1; length < 240; length += 3) {
              document.querySelector('.choice a').textContent = 'w'.repeat(length);
              const { left, right } = document.querySelector('.act form').getBoundingClientRect();
              if (left < 0 || right > innerWidth) outside.push(length);
            }
            return outside; })()""")
        check(not outside, f"the form is not within a window of {width} beside names of {outside} characters")
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
    await edit_with_keys(browser, dashboard)
    await browser.go(dashboard.place + "/records?type=Coins")
    await browser.press("/", code="Slash", text="/")
    check(await browser.run("document.activeElement.name") == "filter", "the key / does not lead to the filter")
    for typed, word in [("ye", "year "), ("year ", "year >= "), ("year >= 1900 ", "year >= 1900 AND "), ("year >= 1900 AND na", "year >= 1900 AND name ")]:
        await fill(browser, {"[name=filter]": typed})
        words = await browser.run("[...document.querySelectorAll('#words option')].map((option) => option.value)")
        check(word in words, f"after '{typed}', '{word}' is not suggested: {words}")


async def step_to(browser, script, what):
    """Presses Tab until the focus is on something."""
    for _ in range(80):
        await browser.press("Tab", code="Tab", windowsVirtualKeyCode=9)
        if await browser.run(script):
            return
    raise AssertionError(f"Tab does not lead to {what}")


async def edit_with_keys(browser, dashboard):
    """Changes a record by the keyboard alone, from the table to the saved value."""
    await browser.press("j", code="KeyJ", text="j")
    check(await browser.run("document.activeElement.innerText") == "lira", "the key j does not lead to the first record")
    loaded = browser.event("Page.loadEventFired")
    await browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    await asyncio.wait_for(loaded, 30)
    await step_to(browser, "document.activeElement.innerText === 'Edit'", "the form")
    await browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    await step_to(browser, "document.activeElement.name === 'now.year'", "a field")
    await browser.press("a", code="KeyA", windowsVirtualKeyCode=65, modifiers=2, commands=["selectAll"])
    await browser.call("Input.insertText", text="1944")
    loaded = browser.event("Page.loadEventFired")
    await browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    await asyncio.wait_for(loaded, 30)
    check("1944" in await browser.run("document.querySelector('table').innerText"), "the keyboard alone does not save a record")
    dashboard.run("save", "lira", "year=1945")


async def use_addresses(browser, dashboard):
    """Each state has an address: the way back, a reload and a link that is sent show the same."""
    await browser.go(dashboard.place + "/records?type=Coins")
    await fill(browser, {"[name=filter]": "year > 1900", "[name=sort]": "-year", "[name=columns]": "year"})
    await browser.submit("form.filter button")
    state = "[document.querySelector('[name=filter]').value, document.querySelector('tbody').innerText, document.querySelector('thead').innerText]"
    shown, address = await browser.run(state), await browser.run("location.href")
    check(shown[0] == "year > 1900" and "lira" in shown[1] and "country" not in shown[2], f"the choice is not shown: {shown}")
    await browser.submit("tbody th a")
    loaded = browser.event("Page.loadEventFired")
    await browser.run("history.back()")
    await asyncio.wait_for(loaded, 30)
    check(await browser.run(state) == shown, "the way back shows something else")
    loaded = browser.event("Page.loadEventFired")
    await browser.call("Page.reload")
    await asyncio.wait_for(loaded, 30)
    check(await browser.run(state) == shown, "a reload shows something else")
    other = await browser.window()
    await other.go(address)
    check(await other.run(state) == shown, "a link that was sent shows something else")
    await other.close()


async def conflict(browser, dashboard):
    """Changes a record that another program changes meanwhile."""
    await browser.go(dashboard.place + "/record?name=lira")
    await browser.run("document.querySelector('details:has(form.edit)').open = true")
    await fill(browser, {"[name='now.year']": "1946"})
    dashboard.run("save", "lira", "name=Lira of the mint")
    await eventually(browser, "!document.getElementById('news').hidden", "the page does not say that it has changed")
    await browser.submit("form.edit button.main")
    row = await browser.run("[...document.querySelectorAll('tbody tr')].map((row) => row.innerText).join('|')")
    check("1945\t1945\t1946" in row and "Lira\tLira of the mint\tLira" in row, f"the three states are not shown: {row}")
    await browser.submit("form.edit button.main")
    text = await browser.run("document.body.innerText")
    check("1946" in text and "Lira of the mint" in text, "the merged record was not saved")


async def mistake(browser, dashboard):
    """A mistake stays on the page with what was typed, also while other programs save."""
    await browser.go(dashboard.place + "/record?name=lira")
    await browser.run("document.querySelector('details:has(form.edit)').open = true")
    await fill(browser, {"[name='now.year']": "long ago"})
    await browser.submit("form.edit button.main")
    dashboard.run("save", "cent", "--type", "Coins", "--create", "name=Cent", "year=2000")
    await asyncio.sleep(1)
    shown = await browser.run("[document.querySelector('[role=alert]')?.innerText, document.querySelector('[name=\\'now.year\\']').value]")
    check("INT64" in (shown[0] or "") and shown[1] == "long ago", f"a mistake does not stay: {shown}")
    check(await browser.run("document.querySelector('details:has(form.edit)').open"), "the form with the mistake is closed")
    browser.problems[:] = [problem for problem in browser.problems if "400" not in problem]


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


async def open_windows(browser, dashboard):
    """Opens more pages than a browser has connections to a server: only those that are seen have one."""
    def show(hidden):
        return f"""Object.defineProperty(document, "hidden", {{ value: {hidden}, configurable: true }});
            document.dispatchEvent(new Event("visibilitychange"))"""
    pages = []
    for _ in range(8):
        page = await browser.window()
        pages.append(page)
        await asyncio.wait_for(page.go(dashboard.place + "/records?type=Coins"), 60)
        await page.run(show("true"))
    dashboard.run("save", "guinea", "--type", "Coins", "--create", "name=Guinea", "year=1663")
    await pages[0].run(show("false"))
    await eventually(pages[0], "document.body.innerText.includes('Guinea')", "a page that is seen again is not current")
    for page in pages:
        await page.call("Page.close")
        await page.close()


async def main(cabinet, store, pictures=None):
    dashboard = Dashboard(cabinet, store)
    try:
        async with Browser() as browser:
            await make(browser, dashboard)
            await look_at_all(browser, dashboard, pictures)
            await open_forms(browser, dashboard)
            await use_addresses(browser, dashboard)
            await use_keys(browser, dashboard)
            browser.problems.clear()
            await mistake(browser, dashboard)
            await live(browser, dashboard)
            await open_windows(browser, dashboard)
            await conflict(browser, dashboard)
    finally:
        status = dashboard.end()
    check(status == 0, f"the dashboard ended with {status}")
    print("The dashboard works in a browser.")


asyncio.run(main(*sys.argv[1:]))
