"""Drives a headless Chromium over the DevTools protocol, for tests and pictures of pages."""
import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.request

import websockets

NAMES = ["chromium-headless-shell", "chromium", "google-chrome"]


class Browser:
    """A browser with one page. It ends with its block, with all of its processes."""

    async def __aenter__(self):
        program = next(filter(None, map(shutil.which, NAMES)))
        self.folder = tempfile.mkdtemp()
        # A group of its own, and no output of the test's: a browser that outlived the test would hold both.
        self.process = subprocess.Popen(
            [program, "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--remote-allow-origins=*",
             "--hide-scrollbars", f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        port_file = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(port_file) and open(port_file).read().strip():
                break
            await asyncio.sleep(0.05)
        port = open(port_file).read().split()[0]
        self.port = port
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        await self.connect(next(page for page in pages if page["type"] == "page"))
        return self

    async def connect(self, page):
        self.socket = await websockets.connect(page["webSocketDebuggerUrl"], max_size=1 << 26)
        self.last, self.answers, self.events, self.problems = 0, {}, {}, []
        self.reader = asyncio.create_task(self.read())
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"]:
            await self.call(f"{domain}.enable")

    async def window(self):
        """Returns a second window of the same browser, with the same cookies."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        other = Browser()
        await other.connect(json.load(urllib.request.urlopen(request)))
        return other

    async def close(self):
        """Ends the connection to a window."""
        self.reader.cancel()
        await self.socket.close()

    async def __aexit__(self, *_):
        self.reader.cancel()
        await self.socket.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.answers.pop(message["id"]).set_result(message)
                continue
            method, params = message["method"], message["params"]
            if method == "Runtime.exceptionThrown":
                self.problems.append(params["exceptionDetails"].get("text", "exception"))
            if method == "Log.entryAdded" and params["entry"]["level"] == "error":
                self.problems.append(f'{params["entry"]["text"]} {params["entry"].get("url", "")}')
            if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                self.problems.append(str(params["args"]))
            for waiting in self.events.pop(method, []):
                waiting.set_result(params)

    async def call(self, method, **params):
        self.last += 1
        answer = self.answers[self.last] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        result = await asyncio.wait_for(answer, 60)
        if "error" in result:
            raise RuntimeError(f'{method}: {result["error"]}')
        return result["result"]

    def event(self, method):
        waiting = asyncio.get_running_loop().create_future()
        self.events.setdefault(method, []).append(waiting)
        return waiting

    async def go(self, address):
        # The answer comes once the new page has replaced the old one, whose events may come at any time.
        await self.call("Page.navigate", url=address)
        for _ in range(3000):
            if await self.run("document.readyState") == "complete":
                return
            await asyncio.sleep(0.02)
        raise RuntimeError(f"{address} was not loaded")

    async def run(self, script):
        """Returns the value of an expression in the page."""
        result = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    async def submit(self, selector):
        """Clicks a button or a link that leads to another page."""
        loaded = self.event("Page.loadEventFired")
        await self.run(f"document.querySelector({json.dumps(selector)}).click()")
        await asyncio.wait_for(loaded, 60)

    async def press(self, key, **params):
        for kind in ["keyDown", "keyUp"]:
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **params)

    async def look(self, width=1200, height=800, dark=False, scripts=True):
        """Sets the size of the window, the colors, and whether pages may run scripts."""
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        await self.call("Emulation.setEmulatedMedia",
                        features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        await self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    async def picture(self, path, height=4000):
        """Stores a picture of the whole page, or of its upper part."""
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height), "scale": 1}
        data = await self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    async def tree(self):
        """Returns the roles and names of the accessibility tree."""
        nodes = (await self.call("Accessibility.getFullAXTree"))["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]
