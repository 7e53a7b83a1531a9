#!/usr/bin/env python3
"""Draws the pictures of the articles, each in a light and a dark version, into the Resources folders of the documentation.

    Scripts/draw-pictures.py
"""
import html
import os

CORE = "Sources/Cabinet/Cabinet.docc/Resources"
SQLITE = "Sources/CabinetSQLite/CabinetSQLite.docc/Resources"
POSTGRES = "Sources/CabinetPostgres/CabinetPostgres.docc/Resources"
WIDTH = 760

# For each color of a box: the fill and the stroke, light and dark.
COLORS = {
    "plain": (("#f6f8fa", "#b6c0ca"), ("#161b22", "#3d444d")),
    "white": (("#ffffff", "#b6c0ca"), ("#0d1117", "#4b535d")),
    "blue": (("#e3f2fd", "#2f81c7"), ("#0d2a45", "#4493f8")),
    "orange": (("#fff1e0", "#bc6b1a"), ("#37220c", "#d9822b")),
    "green": (("#e3f7e7", "#1a7f37"), ("#0f2d18", "#3fb950")),
}
INK = (("#ffffff", "#d1d9e0", "#1f2328", "#59636e"), ("#0d1117", "#3d444d", "#e6edf3", "#9aa4af"))


class Picture:
    """A picture that collects its shapes, and is written once for each theme."""

    def __init__(self, folder, name, height, title):
        self.path, self.height, self.title, self.shapes = os.path.join(folder, name), height, title, []
        pictures.append(self)
        self.text(20, 30, title, "title")

    def text(self, x, y, text, style="label", anchor="start"):
        self.shapes.append(f'<text class="{style}" x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(text)}</text>')

    def box(self, x, y, width, height, color, *lines, anchor="middle", dashed=False):
        """A box with centered lines of text, of which the first one is its name; 'start' writes them at the top left."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.shapes.append(f'<rect class="{color}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"{dash}/>')
        left = x + width / 2 if anchor == "middle" else x + 12
        top = y + height / 2 - 8.5 * (len(lines) - 1) + 4.5 if anchor == "middle" else y + 21
        for index, line in enumerate(lines):
            self.text(left, top + 17 * index, line, "small" if index else "label", anchor)

    def arrow(self, x1, y1, x2, y2, *labels, dashed=False, color="line"):
        """An arrow with its labels above the middle."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.shapes.append(f'<path class="{color}" d="M{x1} {y1} L{x2} {y2}" marker-end="url(#head)"{dash}/>')
        for index, label in enumerate(reversed(labels)):
            self.text((x1 + x2) / 2, min(y1, y2) - 6 - 15 * index, label, "small", "middle")

    def line(self, x1, y1, x2, y2, dashed=True):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.shapes.append(f'<path class="line" d="M{x1} {y1} L{x2} {y2}"{dash}/>')

    def write(self, theme):
        page, border, ink, muted = INK[theme]
        styles = "\n".join(f".{name} {{ fill: {pair[theme][0]}; stroke: {pair[theme][1]} }}" for name, pair in COLORS.items())
        shapes = "\n".join(self.shapes)
        with open(self.path + ("~dark" if theme else "") + ".svg", "w", encoding="utf-8") as file:
            file.write(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" \
height="{self.height}" role="img" aria-label="{html.escape(self.title)}">
<title>{html.escape(self.title)}</title>
<style>
text {{ font-family: -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: {ink} }}
.title {{ font-size: 16px; font-weight: 600 }}
.label {{ font-size: 13px; font-weight: 500 }}
.small {{ font-size: 11.5px; fill: {muted} }}
.line {{ fill: none; stroke: {muted}; stroke-width: 1.3 }}
.page {{ fill: {page}; stroke: {border} }}
{styles}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 L8 4 L0 8 z" fill="{muted}"/></marker></defs>
<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{self.height - 1}" rx="8"/>
{shapes}
</svg>
""")


pictures = []


def container():
    picture = Picture(CORE, "container", 404, "A container, its databases, zones, records and references")
    picture.box(20, 48, 720, 336, "plain", "Container  com.example.shopping", anchor="start")
    picture.box(36, 84, 150, 284, "blue", "publicDatabase", "all users read it", anchor="start")
    picture.box(52, 146, 118, 58, "white", "Recipes", "name: \"Pancakes\"")
    picture.box(202, 84, 376, 284, "blue", "privateDatabase", "one for each user", anchor="start")
    picture.box(218, 134, 206, 218, "green", "default zone", anchor="start")
    picture.box(232, 168, 178, 58, "white", "Lists  \"groceries\"", "name: \"Groceries\"")
    picture.box(232, 272, 84, 62, "white", "Items", "\"Milk\"", "list")
    picture.box(326, 272, 84, 62, "white", "Items", "\"Bread\"", "list")
    picture.arrow(274, 272, 274, 227)
    picture.arrow(368, 272, 368, 227)
    picture.text(321, 253, "references", "small", "middle")
    picture.box(440, 134, 122, 218, "green", "zone Travel", anchor="start")
    picture.box(452, 168, 98, 58, "white", "Trips", "\"Lisbon\"")
    picture.text(501, 272, "References stay", "small", "middle")
    picture.text(501, 288, "in their zone.", "small", "middle")
    picture.box(594, 84, 130, 284, "blue", "sharedDatabase", "zones of others", anchor="start")


def seams():
    picture = Picture(CORE, "seams", 396, "Two interfaces: requests above the rules, storage below them")
    picture.box(20, 50, 720, 52, "blue", "Container, Database, live queries", "the API for programs, with CloudKit's names")
    picture.line(20, 130, 740, 130)
    picture.text(380, 122, "DatabaseService: requests and results as values, which could be sent over a network", "small", "middle")
    picture.box(20, 140, 720, 78, "orange", "LocalDatabaseService",
                "Engine: load, plan, apply", "Rules: conflicts, references, zones, schema, permissions, changes")
    picture.line(20, 246, 740, 246)
    picture.text(380, 238, "StorageBackend: transactions that load records and apply mutations, without any rule", "small", "middle")
    for index, (name, text) in enumerate([("MemoryBackend", "for tests"), ("SQLiteBackend", "devices, small servers"),
                                          ("PostgresBackend", "fleets of servers"), ("Your backend", "any other store")]):
        picture.box(20 + 184 * index, 256, 168, 62, "green", name, text, dashed=index == 3)
    picture.text(380, 350, "Every rule is written once. The conformance rules prove each backend.", "small", "middle")
    picture.text(380, 368, "A backend never compares change tags, follows references or validates names.", "small", "middle")


def lanes(picture, bottom, *names):
    """Lanes of a sequence; returns their positions."""
    positions = [110, 380, 650][:len(names)] if len(names) == 3 else [150, 610]
    for x, (name, color) in zip(positions, names):
        picture.line(x, 84, x, bottom)
        picture.box(x - 85, 50, 170, 34, color, name)
    return positions


def save():
    picture = Picture(CORE, "save", 512, "A save, from the call to the disk")
    program, engine, backend = lanes(picture, 492, ("Program", "blue"), ("Engine and Rules", "orange"), ("Backend", "green"))
    picture.arrow(program, 124, engine - 4, 124, "database.save(item)")
    picture.box(engine - 110, 134, 220, 40, "white", "check IDs, limits, account")
    picture.arrow(engine, 204, backend - 4, 204, "write: a transaction begins")
    picture.arrow(engine, 240, backend - 4, 240, "load: everything in one call")
    picture.arrow(backend, 274, engine + 4, 274, "record, targets, zones, schema", dashed=True)
    picture.box(engine - 110, 284, 220, 54, "white", "plan, as a pure function", "change tags, references, schema")
    picture.arrow(engine, 368, backend - 4, 368, "apply: mutations in one call")
    picture.box(backend - 90, 384, 180, 44, "white", "commit", "the disk has it")
    picture.arrow(backend, 458, engine + 4, 458, "committed", dashed=True)
    picture.arrow(engine, 476, program + 4, 476, "the record, with its new change tag", dashed=True)
    picture.box(program - 85, 287, 170, 48, "white", "on a conflict: an error", "nothing has changed")
    picture.arrow(engine - 110, 311, program + 89, 311, dashed=True)


def conflict():
    picture = Picture(CORE, "conflict", 484, "A conflict: two clients change one record")
    phone, server, laptop = lanes(picture, 464, ("Phone", "blue"), ("Database", "green"), ("Laptop", "blue"))
    picture.box(server - 80, 96, 160, 40, "white", "Milk, number 1", "change tag a")
    picture.arrow(server - 80, 116, phone + 4, 116, "fetch", dashed=True)
    picture.arrow(server + 80, 116, laptop - 4, 116, "fetch", dashed=True)
    picture.arrow(laptop, 172, server + 84, 172, "save number 3, tag a")
    picture.box(server - 80, 152, 160, 40, "white", "Milk, number 3", "change tag b")
    picture.arrow(phone, 228, server - 4, 228, "save number 2, tag a")
    picture.text(server + 12, 232, "Tag a is stale.", "small")
    picture.arrow(server, 264, phone + 4, 264, "error serverRecordChanged", dashed=True)
    picture.box(phone - 90, 280, 180, 92, "orange", "The error's three records", "ancestor: number 1, tag a", "client: number 2, tag a",
                "server: number 3, tag b")
    picture.text(phone + 106, 314, "Merge into the server's", "small")
    picture.text(phone + 106, 330, "record: it has the", "small")
    picture.text(phone + 106, 346, "valid tag.", "small")
    picture.arrow(phone, 412, server - 84, 412, "save number 2, tag b")
    picture.box(server - 80, 392, 160, 40, "white", "Milk, number 2", "change tag c")
    picture.arrow(server - 80, 450, phone + 4, 450, "the record, with tag c", dashed=True)


def devices():
    picture = Picture(CORE, "two-devices", 402, "Two devices, and the changes of a zone since their change tokens")
    picture.text(20, 62, "The zone's changes, by sequence number. Each record is in the list once, at its last change.", "small")
    entries = [("1", "Milk saved", True), ("2", "Bread saved", False), ("3", "Eggs saved", True), ("4", "Milk changed", False),
               ("5", "Eggs deleted", False), ("6", "Tea saved", False)]
    for index, (number, text, isOld) in enumerate(entries):
        x = 20 + 121 * index
        color = "plain" if isOld else "orange" if "deleted" in text else "green"
        picture.box(x, 78, 113, 56, color, number, text, dashed=isOld)
    picture.text(76, 152, "superseded by 4", "small", "middle")
    picture.text(318, 152, "superseded by 5", "small", "middle")
    picture.text(560, 152, "a tombstone", "small", "middle")
    picture.arrow(379, 224, 379, 140)
    picture.box(250, 224, 258, 56, "blue", "Phone, token after 3", "was offline since change 3")
    picture.arrow(740 - 4, 224, 740 - 4, 140)
    picture.box(528, 224, 212, 56, "blue", "Laptop, token after 6", "has everything")
    picture.arrow(16 + 4, 224, 16 + 4, 140)
    picture.box(20, 224, 210, 56, "blue", "A new device, no token", "begins before change 1")
    for x, width, lines in [(20, 210, ("The first fetch returns", "Bread, Milk, Tea", "and no deletions")),
                            (250, 258, ("Its next fetch returns", "Milk, Tea, the deletion of Eggs", "and a token after 6")),
                            (528, 212, ("Its next fetch returns", "no changes", "and costs next to nothing"))]:
        picture.arrow(x + width / 2, 280, x + width / 2, 306)
        picture.box(x, 308, width, 74, "white", *lines)


def sqlite():
    picture = Picture(SQLITE, "commit-sqlite", 432, "A commit in SQLite")
    for index in range(3):
        picture.box(20, 62 + 62 * index, 130, 48, "blue", f"save {index + 1}", "waits for its turn")
        picture.arrow(150, 86 + 62 * index, 196, 86 + 62 * index)
    picture.text(85, 262, "Saves that wait together", "small", "middle")
    picture.text(85, 278, "are committed together.", "small", "middle")
    picture.box(200, 56, 250, 286, "orange", "One transaction of the writer", anchor="start")
    for index, (name, text) in enumerate([("BEGIN IMMEDIATE", "locks the file for other writers"),
                                          ("load, plan, apply", "for each save, one after the other"),
                                          ("fsync of new assets", "before the records that name them"),
                                          ("COMMIT", "appends pages, and one fsync")]):
        picture.box(214, 88 + 62 * index, 222, 50, "white", name, text)
        if index:
            picture.arrow(325, 76 + 62 * index, 325, 87 + 62 * index)
    picture.box(506, 88, 220, 60, "green", "private-….sqlite", "tables, a column for each field")
    picture.box(506, 186, 220, 50, "green", "assets/", "files named by their checksum")
    picture.box(506, 274, 220, 50, "green", "private-….sqlite-wal", "the latest pages")
    picture.arrow(437, 237, 502, 216)
    picture.arrow(437, 299, 502, 299)
    picture.shapes.append('<path class="line" d="M726 299 C 748 299, 748 118, 730 118" marker-end="url(#head)"/>')
    picture.text(722, 166, "checkpoint, later", "small", "end")
    picture.box(20, 362, 430, 50, "plain", "The saves return", "their records survive a power failure (synchronous=FULL)")
    picture.arrow(325, 342, 325, 361)
    picture.box(506, 362, 220, 50, "plain", "Readers", "each has one snapshot; none waits")


def postgres():
    picture = Picture(POSTGRES, "commit-postgres", 420, "A commit in PostgreSQL: two round trips")
    program, server = lanes(picture, 400, ("Program", "blue"), ("PostgreSQL server", "green"))
    picture.box(program - 130, 98, 260, 76, "white", "Round trip 1, in one pipeline", "BEGIN, lock the database's row,",
                "and load everything that is needed")
    picture.arrow(program + 130, 120, server - 136, 120)
    picture.box(server - 130, 98, 260, 76, "white", "The row of cabinet_state", "one writer for each database;",
                "other databases are not affected")
    picture.arrow(server - 130, 154, program + 136, 154, dashed=True)
    picture.box(program - 130, 196, 260, 54, "orange", "plan", "the rules, on the loaded records")
    picture.box(program - 130, 272, 260, 76, "white", "Round trip 2, in one pipeline", "all mutations, a commit mark,",
                "COMMIT")
    picture.arrow(program + 130, 294, server - 136, 294)
    picture.box(server - 130, 272, 260, 76, "white", "COMMIT flushes the log", "records, change feed and", "mark together")
    picture.arrow(server - 130, 328, program + 136, 328, dashed=True)
    picture.box(program - 130, 362, 260, 40, "plain", "The save returns")
    picture.box(server - 130, 362, 260, 40, "plain", "Other processes are notified afterwards")
    picture.text(380, 211, "If the answer to COMMIT is", "small", "middle")
    picture.text(380, 227, "lost, the mark shows whether", "small", "middle")
    picture.text(380, 243, "the save was committed.", "small", "middle")


for draw in [container, seams, save, conflict, devices, sqlite, postgres]:
    draw()
for picture in pictures:
    os.makedirs(os.path.dirname(picture.path), exist_ok=True)
    for theme in (0, 1):
        picture.write(theme)
