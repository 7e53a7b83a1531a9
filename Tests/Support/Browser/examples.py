"""Uses the shopping list and the notes in two browsers, as two people do: examples.py FOLDER-OF-PROGRAMS FOLDER PICTURE [FOLDER for pictures]."""
import asyncio
import os
import signal
import subprocess
import sys

from browser import Browser
from pages import FAULTS, check, eventually, fill


class Site:
    """A program that serves its pages."""

    def __init__(self, program, store):
        self.program, self.store = program, store
        self.process = subprocess.Popen(
            [program, "serve", "--store", store], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().split()[-1]

    def run(self, *arguments):
        subprocess.run([self.program, *arguments, "--store", self.store], check=True, stdout=subprocess.DEVNULL)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


async def look_at(browser, addresses, pictures):
    """Looks at pages at three widths, light and dark."""
    for width in [360, 800, 1600]:
        for dark in [False, True]:
            await browser.look(width, 900, dark)
            for name, address in addresses.items():
                await browser.go(address)
                if name.endswith("form"):
                    await browser.run("document.querySelector('details').open = true")
                await browser.run("Promise.all([...document.images].map((image) => image.decode().catch(() => {})))")
                faults = await browser.run(FAULTS)
                check(not faults, f"{name} at {width}, {'dark' if dark else 'light'}: {faults}")
                roles = [role for role, _ in await browser.tree()]
                check("main" in roles and "heading" in roles, f"{name} lacks landmarks")
                if pictures:
                    await browser.picture(os.path.join(pictures, f"{name}-{width}{'-dark' if dark else ''}.png"))
    check(not browser.problems, f"the console has errors: {browser.problems}")
    await browser.look(800)


async def type_without_scripts(browser, selector, button, values):
    # Evaluating an expression is not the page's script.
    for name, text in values.items():
        await browser.run(f"document.querySelector({selector!r}).elements[{name!r}].value = {text!r}")
    await browser.submit(f"{selector} {button}")


async def shopping(one, two, site, pictures):
    await one.look(800, scripts=False)
    await one.go(site.origin)
    check("No Records Found" in await one.run("document.body.innerText"), "an empty store is not shown")
    await type_without_scripts(one, "form.add", "button", {"name": "Groceries <b>& more</b>"})
    await type_without_scripts(one, "form.add", "button", {"name": "Milk", "number": "2"})
    check("<b>& more" in await one.run("document.querySelector('h1').innerText"), "a name became markup")
    await two.look(800)
    await two.go(await one.run("location.href"))
    # Each sees the other's changes, and so does a terminal.
    await two.submit("button[value=more]")
    await one.look(800)
    await one.go(await one.run("location.href"))
    await eventually(one, "document.querySelector('output').innerText === '3'", "a step of the other browser is not shown")
    await one.run("document.querySelector('[name=name]').focus()")
    await fill(two, {"[name=name]": "Apples"})
    await two.submit("form.add button")
    await eventually(one, "document.body.innerText.includes('Apples')", "an item of the other browser is not shown")
    check(await one.run("document.activeElement.name") == "name", "the focus was lost when the page was read again")
    await fill(one, {"[name=name]": "Eggs"})
    await two.submit("button[value=delete]")
    await eventually(one, "!document.getElementById('news').hidden", "a page with typed text does not say that it has changed")
    check(await one.run("document.querySelector('[name=name]').value") == "Eggs", "what was typed is lost")
    await one.submit("form.add button")
    await eventually(two, "document.body.innerText.includes('Eggs')", "an item of the first browser is not shown")
    site.run("items", "add", "Groceries <b>& more</b>", "Bread")
    for browser in [one, two]:
        await eventually(browser, "document.body.innerText.includes('Bread')", "an item of a terminal is not shown")
    check("Apples" not in await one.run("document.body.innerText"), "a deleted item is shown")
    list_page = await one.run("location.href")
    for name in ["Hardware", "Picnic"]:
        site.run("lists", "add", name)
    for name, number in [("Apples", "4"), ("Bread", "1"), ("Lemonade", "2"), ("Strawberries", "1")]:
        site.run("items", "add", "Picnic", name, "--number", number)
    await one.go(site.origin)
    picnic = await one.run("[...document.querySelectorAll('a')].find((link) => link.innerText === 'Picnic').href")
    await look_at(one, {"shopping": site.origin, "hostile": list_page, "list": picnic, "delete-list": list_page + "/delete"}, pictures)
    await two.go(site.origin)
    await one.go(list_page + "/delete")
    await one.submit("button[value=delete-list]")
    await eventually(two, "!document.body.innerText.includes('Groceries')", "a deleted list is shown")


async def choose(browser, selector, path):
    """Chooses a file, as a person does."""
    root = (await browser.call("DOM.getDocument"))["root"]["nodeId"]
    node = (await browser.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
    await browser.call("DOM.setFileInputFiles", files=[path], nodeId=node)


async def notes(one, two, site, picture, pictures):
    await one.look(800, scripts=False)
    await one.go(site.origin)
    await choose(one, "[type=file]", picture)
    await type_without_scripts(one, "form.note", "button", {"title": "Hills <i>", "text": "We walk at dawn.\nBring tea."})
    await one.run("Promise.all([...document.images].map((image) => image.decode()))")
    check(await one.run("document.images[0].naturalWidth") > 0, "the picture is not shown")
    check("Hills <i>" in await one.run("document.querySelector('h1').innerText"), "a title became markup")
    note = await one.run("location.href")
    await one.look(800)
    await two.look(800)
    # Both edit the note: one its title, the other its text, and then both the text.
    for browser in [one, two]:
        await browser.go(note)
        await browser.run("document.querySelector('details').open = true")
    await fill(one, {"[name=title]": "Hills at dawn"})
    await fill(two, {"[name=text]": "We walk at noon."})
    await one.submit("form.note button")
    await eventually(two, "!document.getElementById('news').hidden", "an edited page does not say that it has changed")
    await two.submit("form.note button")
    text = await two.run("document.querySelector('article').innerText")
    check("Hills at dawn" in text and "at noon" in text, f"one edit undid the other: {text}")
    await eventually(one, "document.body.innerText.includes('at noon')", "a text of the other browser is not shown")
    for browser in [one, two]:
        await browser.run("document.querySelector('details').open = true")
    await fill(one, {"[name=text]": "We walk at six."})
    await fill(two, {"[name=text]": "We walk at seven."})
    await one.submit("form.note button")
    await two.submit("form.note button")
    check("in the meantime" in await two.run("document.body.innerText"), "a conflict is not shown")
    check("at six" in await two.run("document.querySelector('blockquote').innerText"), "the other text is not shown")
    check(any("409" in problem for problem in two.problems), "a conflict has another status")
    two.problems.clear()
    await two.submit("form.note button")
    check("at seven" in await two.run("document.querySelector('article').innerText"), "the decision was not saved")
    # A file that is no picture is refused, and what a terminal saves is shown.
    await two.go(site.origin)
    await two.run("document.querySelector('details').open = true")
    await choose(two, "[type=file]", __file__)
    await fill(two, {"[name=title]": "x", "[name=text]": "y"})
    await two.submit("form.note button")
    check("examples.py' is not a picture" in await two.run("document.body.innerText"), "a file that is no picture was taken")
    two.problems.clear()
    await one.go(site.origin)
    site.run("new", "--title", "Packing list", "--text", "Tent\nStove\nMap")
    await eventually(one, "document.body.innerText.includes('Packing list')", "a note of a terminal is not shown")
    await look_at(one, {"notes": site.origin, "note": note, "note-form": note, "delete-note": note + "/delete"}, pictures)


async def main(programs, folder, picture, pictures=None):
    for name in ["shopping-list", "notes"]:
        site = Site(os.path.join(programs, name), os.path.join(folder, name))
        try:
            async with Browser() as one, Browser() as two:
                await (shopping(one, two, site, pictures) if name == "shopping-list" else notes(one, two, site, picture, pictures))
                check(not one.problems + two.problems, f"the console has errors: {one.problems + two.problems}")
        finally:
            status = site.end()
        check(status == 0, f"{name} ended with {status}")
    print("Both programs work in two browsers.")


asyncio.run(main(*sys.argv[1:]))
