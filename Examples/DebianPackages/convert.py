#!/usr/bin/env python3
"""Converts Debian's package index to JSON lines, which `cabinet import` reads.

    apt-cache dumpavail | Examples/DebianPackages/convert.py > packages.jsonl

Each package is a record, named after the package. It refers to its maintainer and to the packages that it depends on.
"""

import json
import os
import re
import sys


def paragraphs(lines):
    """Yields the fields of each package; a line that begins with a space continues the one before."""
    fields, key = {}, None
    for line in lines:
        line = line.rstrip("\n")
        if not line:
            if fields:
                yield fields
            fields, key = {}, None
        elif line[0] in " \t":
            fields[key] += "\n" + line[1:]
        else:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    if fields:
        yield fields


def reference(name):
    return {"reference": name, "action": "none"}


def dependencies(fields):
    """Returns the first alternative of each dependency, without versions."""
    texts = [fields.get(key, "") for key in ("Pre-Depends", "Depends")]
    names = [re.split(r"[ |(:\[]", part.strip(), maxsplit=1)[0] for text in texts for part in text.split(",")]
    return list(dict.fromkeys(name for name in names if name))


def write(record_type, name, fields):
    present = {key: value for key, value in fields.items() if value not in ("", None, [])}
    print(json.dumps({"recordName": name, "recordType": record_type, "fields": present}, ensure_ascii=False))


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "schema.ckdb"), encoding="utf-8") as file:
        print(json.dumps({"cabinet": 1, "schema": file.read()}))
    packages, maintainers = set(), {}
    for fields in paragraphs(sys.stdin):
        name = fields.get("Package")
        if not name or name in packages:
            continue
        packages.add(name)
        maintainer = re.sub(r"\s*<.*>", "", fields.get("Maintainer", "")).strip('" ')
        if maintainer and maintainer not in maintainers:
            # Names of records are ASCII, and these are not.
            maintainers[maintainer] = f"maintainer-{len(maintainers)}"
            write("Maintainer", maintainers[maintainer], {"name": maintainer})
        size = fields.get("Installed-Size", "")
        write("Package", name, {
            "name": name,
            "version": fields.get("Version"),
            "section": fields.get("Section"),
            "priority": fields.get("Priority"),
            "installedSize": int(size) if size.isdigit() else None,
            "summary": (fields.get("Description") or fields.get("Description-en") or "").split("\n")[0],
            "tags": re.split(r",\s+", fields["Tag"].replace("\n", " ")) if fields.get("Tag") else [],
            "maintainer": reference(maintainers[maintainer]) if maintainer else None,
            "depends": [reference(other) for other in dependencies(fields)],
        })


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    main()
