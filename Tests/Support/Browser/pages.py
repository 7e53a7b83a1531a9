"""What tests of pages in a browser have in common."""
import asyncio

# Names of controls, texts that run out of the window, and texts that are too faint: WCAG AA wants 4.5 to 1, and 3 to 1 for large ones.
FAULTS = """(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !element.checkVisibility() || element.closest(".hidden, .skip")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24;
    if (ratio < (isLarge ? 3 : 4.5)) faults.push(`${element.tagName} "${element.textContent.trim().slice(0, 30)}" has a contrast of ${ratio.toFixed(2)}`);
  }
  for (const control of document.querySelectorAll("input:not([type=hidden]), textarea, select, button, a")) {
    const name = control.labels?.length || control.getAttribute("aria-label") || control.textContent.trim();
    if (!name) faults.push(`${control.outerHTML.slice(0, 80)} has no name`);
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("there is not one heading of the first level");
  return faults;
})()"""


def check(value, message):
    if not value:
        raise AssertionError(message)


async def eventually(browser, script, message):
    for _ in range(300):
        if await browser.run(script):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(message)


async def fill(browser, fields):
    for selector, text in fields.items():
        # As typing does: the page hears of it.
        await browser.run(
            f"""(() => {{ const field = document.querySelector({selector!r}); field.value = {text!r};
            field.dispatchEvent(new Event("input", {{ bubbles: true }})); }})()""")
