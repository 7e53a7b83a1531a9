#!/usr/bin/env python3
"""Writes the articles so that a forge shows them: with links between files instead of DocC's.

    Scripts/articles.py           writes Documentation
    Scripts/articles.py --check   fails if a file of Documentation is not what would be written, or a link leads nowhere
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "Documentation"


def fail(messages):
    print("\n".join(f"articles: {message}" for message in messages), file=sys.stderr)
    sys.exit(1)


def catalogs():
    return sorted(ROOT.glob("Sources/*/*.docc"))


def module(path):
    """The name of the module that an article or tutorial is of."""
    return path.relative_to(ROOT / "Sources").parts[0]


def title(path):
    """The first heading of an article, or the title of a tutorial."""
    text = path.read_text()
    match = re.search(r"^# (.+)$", text, re.M) or re.search(r'title: "([^"]+)"|@Tutorials\(name: "([^"]+)"', text)
    return next(group for group in match.groups() if group).replace("``", "")


def symbol(match):
    """`Database/save(_:)` is `Database.save(_:)` in Swift; DocC's marks of overloads mean nothing outside of it."""
    return "`" + re.sub(r"-[a-z0-9.]+$", "", match[1]).replace("/", ".") + "`"


class Articles:
    def __init__(self):
        self.errors = []
        self.articles = [path for catalog in catalogs() for path in sorted(catalog.glob("*.md"))]
        self.tutorials = [path for catalog in catalogs() for path in catalog.rglob("*.tutorial")]
        self.images = {path.stem: path for catalog in catalogs() for path in catalog.glob("Resources/*") if path.suffix in (".svg", ".png")}

    def link(self, name, source):
        """An article of the same module goes before one of another module."""
        found = [path for path in self.articles + self.tutorials if path.stem == name]
        found.sort(key=lambda path: module(path) != module(source))
        if not found:
            self.errors.append(f"{source.relative_to(ROOT)}: nothing has the name '{name}'")
            return name
        path = found[0]
        if path in self.tutorials:
            return f"[{title(path)}](../../{path.relative_to(ROOT).as_posix()})"
        folder = "" if module(path) == module(source) else f"../{module(path)}/"
        return f"[{title(path)}]({folder}{name}.md)"

    def image(self, match, source):
        if match[2] not in self.images:
            self.errors.append(f"{source.relative_to(ROOT)}: no picture has the name '{match[2]}'")
            return match[0]
        return f"![{match[1]}](../../{self.images[match[2]].relative_to(ROOT).as_posix()})"

    def text(self, source):
        lines = []
        is_code = False
        for line in source.read_text().split("\n"):
            is_code ^= line.startswith("```")
            if is_code or line.startswith("```"):
                lines.append(line)
            elif not re.fullmatch(r"<!-- (source|typed|output): .* -->", line):
                line = re.sub(r"<doc:([\w-]+)>", lambda match: self.link(match[1], source), line)
                line = re.sub(r"!\[([^\]]*)\]\(([\w-]+)\)", lambda match: self.image(match, source), line)
                lines.append(re.sub(r"``([^`]+)``", symbol, line.replace(f"# ``{source.stem}``", f"# {source.stem}")))
        origin = source.relative_to(ROOT).as_posix()
        return f"<!-- Written from {origin} by `make articles`. -->\n" + "\n".join(lines)

    def written(self):
        return {f"{module(path)}/{path.name}": self.text(path) for path in self.articles}


def main():
    articles = Articles()
    written = articles.written()
    if articles.errors:
        fail(articles.errors)
    existing = {path.relative_to(OUTPUT).as_posix(): path.read_text() for path in OUTPUT.rglob("*.md")}
    if "--check" in sys.argv:
        wrong = sorted(name for name in written.keys() | existing.keys() if written.get(name) != existing.get(name))
        if wrong:
            fail([f"Documentation/{name} is not the article; run 'make articles'" for name in wrong])
        return
    for name in existing.keys() - written.keys():
        (OUTPUT / name).unlink()
    for name, text in written.items():
        (OUTPUT / name).parent.mkdir(parents=True, exist_ok=True)
        (OUTPUT / name).write_text(text)


main()
