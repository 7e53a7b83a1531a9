#!/usr/bin/env python3
"""Checks the English of comments, articles and messages against the expressions below.

    Scripts/check-language.py [FOLDER OR FILE …]            prints each match as file:line, and fails if there is one
    Scripts/check-language.py --count [FOLDER OR FILE …]    prints the number of matches per folder
    Scripts/check-language.py --blocks [FOLDER OR FILE …]   counts comment blocks that carry a mark of translated English

Run it in the root of the repository. Without arguments it checks all that is tracked below PATHS. Code spans, code blocks and
links are skipped. If an expression matches plain English, refine the expression and add a line to SELF_TEST.
"""
import collections
import os
import re
import sys

PATHS = ["Sources", "Tests", "Examples", "Benchmarks", "Scripts", "Package.swift", "Makefile", "README.md", "CONTRIBUTING.md",
         "CHANGELOG.md"]
LONGEST_SENTENCE = 35

# Where a match is meant: path, part of the sentence, reason. At most twelve; one that matches nothing is an error.
EXCEPTIONS = [
    ("Tests/CabinetTests/Container/Schema/QueryValidationTests.swift", "There is no field 'colour'", "'place' is a field"),
]

# Searched everywhere: reason, expression.
WORDS = [(reason, re.compile(expression, re.IGNORECASE)) for reason, expression in [
    ("name the actor (the caller, the task, the process, the reader)",
     r"\b(somebody|nobody|anybody|everybody|someone|anyone|no one|whoever|whomever|whosoever)\b"),
    ("name the actor instead of 'one who'", r"\b(one|ones|those|they|him|them) who\b"),
    ("report, return, notify or show, not 'tell'",
     r"\b(tells|telling|tell|told)\b(?! (\S+ ){0,5}?(apart|from)\b)"),
    ("'note' is a noun: record, store, log or mark",
     r"\b(noted|noting)\b|(^|[.,;] |\b(and|which|it|also) )notes? (how|what|when|whether|it|them|its|the|an?|that(?! (are|were|have|had|others|this)\b))\b"
     r"|\b(to|must|can|should|will|may|not) note (the|a|an|that|this|it|what|how)\b"),
    ("again, or rebuild, recreate, not 'anew'", r"\banew\b"),
    ("is not a, or 'there is no'",
     r"(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b|less\b|later\b|earlier\b|different\b|larger\b|smaller\b"
     r"|better\b|worse\b|slower\b|faster\b|greater\b|fewer\b|newer\b|older\b)"),
    ("create, build or derive, not 'make of'", r"\b(make|makes|made|making)( (it|them|this|one|more|something|anything|an? (?!copy\b)\w+|records|values))? of\b"),
    ("split the sentence instead of 'of which'", r"(?<!both )(?<!each )(?<!all )(?<!none )(?<!some )(?<!most )(?<!one )\bof (which|whom)\b"),
    ("exists or is deleted, not 'is there' or 'is gone'",
     r"\b(is|are|was|were|be|been|being) gone\b|\b(is|are|was|were|be|been) there\b(?! (a|an|any|no|is|are|was|were)\b)"),
    ("position, offset, location or slot, not 'place'",
     r"(?<!\bin )(?<!takes )(?<!take )(?<!took )(?<!taken )(?<!first )(?<!decimal )(?<!taking )\bplaces?\b(?! (it|them|the|a|an|each|on earth)\b)"),
    ("read, search, check or poll, not 'look'", r"\b(look|looks|looked|looking) (?!up\b|like\b|ups?\b|identical\b|the same\b|alike\b)\w"),
    ("cancel, fail or release, not 'give up'", r"\b(give|gives|gave|given|giving) (\w+ )?up\b"),
    ("name the thing instead of 'whatever'", r"\bwhatever\b"),
    ("unchanged, not 'as it is'", r"(?<!long )(?<!far )(?<!soon )(?<!much )(?<!many )\bas (it|they) (is|are|was|were)\b(?! (\w+ed|now|written|read|sent|meant|in|on|at|for)\b)"),
    ("drop 'meanwhile' at the end of a clause", r"(?<=\w )meanwhile[.,;:]"),
    ("American spelling: color, behavior, neighbor, misspelled, recognize",
     r"\b(misspelt|behaviours?|neighbour(s|ing)?|colour(s|ed|ing)?|favour\w*|honour\w*|centre[sd]?|catalogue[sd]?"
     r"|(recogn|organ|summar|synchron|initial|serial|normal|minim|maxim|author)is(e|es|ed|ing|ation))\b"),
    ("forever, or permanently", r"\bfor ever\b"),
    ("roll back, or revert", r"\b(undone)\b"),
]]

# Searched at the beginning of each sentence: reason, expression.
OPENINGS = [(reason, re.compile(expression)) for reason, expression in [
    ("opens with a bare question clause: begin with the thing",
     r"(Who|Whom|Whose|What|Which|How)\b(?! (many |much |long |often |far |large |deep )?to\b)"),
    ("opens with a bare question clause: begin with the thing", r"(Where|When|Why)\b(?! to\b)[^,]*$"),
    ("begin with the thing, not with 'Those that'", r"Those (of|that|which|in|with|for|to)\b"),
    ("begin with the thing, not with 'As much as'", r"As (many|much|few|little) (?!as\b)"),
]]
NOT_BOOLEAN = "'Whether' is for a Boolean value: this one is not"

# The abstract of a public declaration: reason, declaration, beginning of the abstract.
ABSTRACTS = [(reason, re.compile(declaration), re.compile(expression)) for reason, declaration, expression in [
    ("the abstract of a type is a noun phrase",
     r"public (final |indirect )*(struct|class(?! func| var)|enum|protocol|actor)\b",
     r"(Stores|Keeps|Holds|Runs|Computes|Counts|Lists|Reads|Writes|Broadcasts|Creates|Copies|Checks|Returns|Finds|Decides|Collects"
     r"|Translates|Removes|Generates|Compares|Waits|Begins|Is|Has|Can)\b"),
    ("the abstract of a function begins with a verb",
     r"public (mutating |nonisolated |consuming )*func \w", r"(The|A|An) "),
]]

# The ten marks of the review of e1ab310 (§6), which counted 1,278 of 4,974 blocks of comments; these count 1,276 of 4,982.
MARKS = [re.compile(expression) for expression in [
    r"^(What|Where|Who|How|When)\b",
    r"(?i)\b(somebody|nobody|anybody|everybody)\b",
    r"(?i)\b(tells?|told|telling)\b",
    r"(?i)\b(is|are|was|were|be|been) (there|gone)\b",
    r"(?i)\b(who|whoever)\b",
    r"(?i)\b(made|makes?|making)( out| up)? of\b",
    r"(?<!in )(?<!takes )(?<!take )\b(the|its|this|that|a|no|their|one) places?\b",
    r"\banew\b",
    r"\b(is|are) no (?!longer|more|less)",
    r"\b(notes|noted|note that)\b",
]]

Unit = collections.namedtuple("Unit", "kind text starts declaration is_abstract")  # starts: (offset, line) of each line
Match = collections.namedtuple("Match", "path line reason text")

SKIPPED_COMMENTS = re.compile(r"^(swift-tools-version|swift-format-ignore|swiftlint|snippet:|end$|MARK:|source:|output:|!/)")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|<[a-zA-Z!/][^<>]*>|\]\([^()]*\)|https?://\S+|\S+/\S+\.\w+\b")
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.) +")
FIELD = re.compile(r"^(Parameters?( \S+)?|Returns|Throws|Note|Important|Warning|Tip|Experiment|Complexity|Precondition|SeeAlso"
                   r"|Requires|Law|`[^`]*`|\*\*[^*]*\*\*):? *(?<=:)\s*")
DIRECTIVE = re.compile(r"^\s*(@[A-Za-z]+|[{}]|\)|<!--|\||!\[)")
CODE = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|DROP|BEGIN|NOT NULL)\b|==|%@|=>|&&|\$\d|::|\w+=\w+|[{}\\;]\s*$|^\s*[{\[<]")


def blank(match):
    """Hides a code span, a link's address or a path behind one word of the same length."""
    text = match.group(0)
    return "]" + " " * (len(text) - 1) if text.startswith("](") else "x" * len(text)


def units_of(lines, kind, declaration=""):
    """Splits (line number, text) pairs into paragraphs, list items, headings and table cells, without code blocks."""
    found, current, fence, comment = [], [], None, False

    def flush():
        if current:
            text, starts = "", []
            for number, part in current:
                starts.append((len(text), number))
                text += part + " "
            found.append(Unit(kind, SPAN.sub(blank, text), starts, declaration, kind == "doc" and not found))
            current.clear()

    for number, line in lines:
        stripped = line.strip()
        marker = re.match(r"(```+|~~~+)", stripped)
        if fence or marker:
            flush()
            if marker and (fence is None or stripped.startswith(fence)):
                fence = None if fence else marker.group(1)
        elif comment or stripped.startswith("<!--"):
            flush()
            comment = "-->" not in stripped
        elif not stripped or (not current and re.match(r"\s{4,}\S", line) and not ITEM.match(line) and kind != "message"):
            flush()
        elif stripped.startswith("|"):
            flush()
            for cell in re.split(r"(?<!\\)\|", SPAN.sub(blank, stripped)):
                if re.search(r"[a-zA-Z]{2}", cell):
                    current.append((number, cell.strip()))
                    flush()
        elif DIRECTIVE.match(line):
            flush()
            title = re.search(r'\b(?:title|name|text|alt): *"([^"]*)"', line)
            if title:
                current.append((number, title.group(1)))
                flush()
        elif stripped.startswith("#"):
            flush()
            current.append((number, stripped.lstrip("# ")))
            flush()
        else:
            item = ITEM.match(line)
            if item:
                flush()
                stripped = line[item.end():].strip()
                field = FIELD.match(stripped) or (kind == "doc" and item.group(1) and re.match(r"\w+: +", stripped))
                stripped = stripped[field.end():] if field else stripped
            elif not current and FIELD.match(stripped):
                stripped = stripped[FIELD.match(stripped).end():]
            current.append((number, stripped))
    flush()
    return found


def tokens_of(text):
    """Yields ('comment' or 'string', start, end, text) of Swift source; interpolations become one word."""
    position, size = 0, len(text)
    opening = re.compile(r'//[^\n]*|/\*|#*"""|#*"|#+/')
    while True:
        match = opening.search(text, position)
        if not match:
            return
        start, head = match.start(), match.group(0)
        position = match.end()
        if head.startswith("//"):
            yield "comment", start, position, head
        elif head == "/*":
            end = text.find("*/", position)
            position = size if end < 0 else end + 2
        elif head.endswith("/"):
            end = text.find("/" + "#" * (len(head) - 1), position)
            position = size if end < 0 else end + len(head)
        else:
            hashes = head.count("#")
            close, escape = head[hashes:] + "#" * hashes, "\\" + "#" * hashes
            parts = []
            while position < size and not text.startswith(close, position):
                if text.startswith(escape + "(", position):
                    depth, position, quoted = 1, position + len(escape) + 1, False
                    while position < size and depth:
                        letter = text[position]
                        quoted ^= letter == '"'
                        depth += 0 if quoted else (letter == "(") - (letter == ")")
                        parts.append("\n" if letter == "\n" else "")
                        position += 1
                    parts.append("x")
                elif text.startswith(escape, position):
                    parts.append({"n": " ", "t": " ", "\n": "\n"}.get(text[position + len(escape):][:1], "'"))
                    position += len(escape) + 1
                elif text[position] == "\n" and len(close) - hashes == 1:
                    break
                else:
                    parts.append(text[position])
                    position += 1
            position += len(close)
            yield "string", start, position, "".join(parts)


def blocks_of_swift(text):
    """The blocks of comments as (kind, lines, declaration), and the strings that are prose as (line, text)."""
    starts = [0] + [index + 1 for index, letter in enumerate(text) if letter == "\n"]
    lines = text.split("\n")
    blocks, strings, line = [], [], 0
    last_kind, last_line, last_end = None, -2, 0
    for kind, start, end, content in tokens_of(text):
        while line + 1 < len(starts) and starts[line + 1] <= start:
            line += 1
        if kind == "comment":
            marker = "doc" if content.startswith("///") else "comment"
            body = content[3 if marker == "doc" else 2:]
            whole = lines[line].strip().startswith("//")
            if whole and marker == last_kind and last_line == line - 1:
                blocks[-1][1].append((line + 1, body[1:]))
            else:
                blocks.append([marker, [(line + 1, body[1:])]])
            last_kind, last_line = (marker, line) if whole else (None, -2)
        else:
            parts = [(line + 1 + index, part) for index, part in enumerate(content.split("\n"))]
            if strings and text[last_end:start].strip() == "+":
                strings[-1].extend(parts)
            else:
                strings.append(parts)
            last_end = end
    return blocks, strings, lines


def declaration_after(lines, number):
    """The declaration below a doc comment that ends at a line, up to its body."""
    parts = []
    for line in lines[number:number + 14]:
        stripped = line.strip()
        if stripped.startswith("//") or not stripped:
            break
        if not parts and re.match(r"@\w+(\(.*\))?$", stripped):
            continue
        parts.append(stripped)
        if "{" in stripped or re.search(r"(?<![=!<>])=(?!=)", stripped) or (stripped.count("(") <= stripped.count(")")
                                                                       and not stripped.endswith(("(", ","))) and len(parts) > 0:
            if sum(part.count("(") - part.count(")") for part in parts) <= 0:
                break
    return " ".join(parts)


def is_prose(text):
    return len(re.findall(r"\b[a-z]{2,}\b", text)) >= 4 and not CODE.search(text)


def read_units(path, text):
    """All units of a file."""
    if path.endswith(".swift"):
        blocks, strings, lines = blocks_of_swift(text)
        for kind, block in blocks:
            if SKIPPED_COMMENTS.match(block[0][1].strip()):
                block = block[1:]
            if block:
                yield from units_of(block, kind, declaration_after(lines, block[-1][0]) if kind == "doc" else "")
        for string in strings:
            if is_prose(" ".join(part for _, part in string)):
                yield from units_of([(number, part.strip()) for number, part in string], "message")
    elif path.endswith((".md", ".tutorial")):
        yield from units_of(list(enumerate(text.split("\n"), 1)), "article")
    elif path.endswith(".sh") or path == "Makefile":
        block = []
        for number, line in enumerate(text.split("\n"), 1):
            match = re.match(r"\s*# ?(?!!)(.*)", line) or re.match(r"[a-z-]+:.*## (.*)", line)
            if match and match.re.pattern.startswith("\\s"):
                block.append((number, match.group(1)))
            else:
                yield from units_of(block, "comment")
                block = []
                if match:
                    yield from units_of([(number, match.group(1))], "message")
        yield from units_of(block, "comment")


def sentences_of(text):
    """Yields (offset, sentence), split at full stops; an abbreviation or a number does not end a sentence."""
    start = 0
    for match in re.finditer(r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)[.!?…][)\"'”*_]*(?=\s+[\"'(“*_]?[A-Z`0-9x]|\s*$)", text):
        yield start, text[start:match.end()]
        start = match.end() + len(text[match.end():]) - len(text[match.end():].lstrip())
    if text[start:].strip():
        yield start, text[start:]


def matches_in(path, unit):
    def found(offset, reason, excerpt):
        line = max(number for start, number in unit.starts if start <= offset)
        return Match(path, line, reason, " ".join(excerpt.split()))

    for reason, expression in WORDS:
        for match in expression.finditer(unit.text):
            yield found(match.start(), reason, unit.text[max(0, match.start() - 30):match.end() + 30])
    for index, (offset, sentence) in enumerate(sentences_of(unit.text)):
        # In a list such as "`code` if …; `code` if …", each entry counts by itself.
        entries = [len(re.findall(r"\S*\w\S*", entry)) for entry in re.split(r"; (?=(?:and |or )?x{5})", sentence)]
        if max(entries) > LONGEST_SENTENCE:
            yield found(offset, f"{max(entries)} words in a sentence, more than {LONGEST_SENTENCE}", sentence[:60])
        plain = sentence.strip().lstrip("*_\"'(")
        if "?" in sentence[-4:] or sum(entries) < 2 or unit.kind == "message" and sum(entries) < 6:
            continue
        for reason, expression in OPENINGS:
            if expression.match(plain):
                yield found(offset, reason, sentence[:60])
        if index == 0 and unit.is_abstract and re.match(r"(Where|When|Why|If|That)\b[^,]*,", plain):
            yield found(offset, "an abstract is a noun phrase or begins with a verb", sentence[:60])
        for reason, declaration, expression in ABSTRACTS:
            if index == 0 and unit.is_abstract and declaration.match(unit.declaration) and expression.match(plain):
                yield found(offset, reason, sentence[:60])
        if index == 0 and unit.kind == "doc" and plain.startswith("Whether ") and unit.declaration:
            is_value = re.search(r"\b(var|let)\b[^=]*:", unit.declaration) or re.search(r"\bfunc\b", unit.declaration)
            if is_value and unit.starts[0][1] and not re.search(r"\bBool\b|\bGenericBool\b|Predicate", unit.declaration):
                yield found(offset, NOT_BOOLEAN, sentence[:60])


def files_below(paths):
    for path in paths:
        path = os.path.normpath(path)
        if os.path.isfile(path):
            yield path
        elif not os.path.isdir(path):
            sys.exit(f"check-language: {path} does not exist; run this in the root of the repository")
        for folder, names, files in os.walk(path):
            names[:] = sorted(name for name in names if not name.startswith("."))
            yield from (os.path.join(folder, name) for name in sorted(files))


def is_checked(path):
    return path.endswith((".swift", ".md", ".tutorial", ".sh")) or path == "Makefile"


def folder_of(path):
    parts = path.split("/")[:-1]
    deep = parts[:2] == ["Sources", "Cabinet"] and len(parts) > 2
    return "/".join(parts[:3 if deep else 2]) or path


def count_blocks(paths):
    """How many blocks of comments carry a mark, and how many there are."""
    marked = total = 0
    for path in files_below(paths or ["Sources"]):
        if path.endswith(".swift"):
            with open(path, encoding="utf-8") as file:
                for _, block in blocks_of_swift(file.read())[0]:
                    text = " ".join(line.strip() for _, line in block)
                    total += 1
                    marked += any(mark.search(text) for mark in MARKS)
    print(f"{marked} of {total} blocks of comments carry a mark ({100 * marked / max(total, 1):.1f} %)")


def self_test():
    """Each line must match, or must not (a leading '!')."""
    for line in SELF_TEST.strip().split("\n"):
        text = line.lstrip("!")
        unit = units_of([(1, text)], "comment")[0]
        if bool(list(matches_in("", unit))) == line.startswith("!"):
            sys.exit(f"check-language: the self test is wrong about: {line}")


SELF_TEST = """
Who looks keeps a processor busy.
What is not there has not changed.
!Returns what the filter selects.
!How to read an explanation
When the zone was made that the copy is of.
!When the zone is deleted, its records are deleted with it.
'FOO' is no operator.
!There is no record with this name.
!The zone is no longer in the store.
Tells that a zone was deleted.
!A deleted record cannot be told from one that never existed.
Notes that the schema has changed.
!- Note: The file must exist.
!Adds a note to the list of notes.
!A `CKNotification` that `nobody` reads.
!The values are compared in place.
Makes a record of the row.
!Makes use of the index.
!Makes the entries of a folder durable.
An operand that is made of others.
Everything stays as it was.
!The value as it is stored.
Whatever fails, the next one goes on.
A misspelt name is refused.
Two neighbours are read.
!A misspelled name has no neighbor of this color.
The closure runs if a record changes meanwhile, or the zone does.
!Meanwhile, other writers wait.
"""


def main(arguments):
    options = {argument for argument in arguments if argument.startswith("--")}
    paths = [argument for argument in arguments if not argument.startswith("--")]
    if options - {"--count", "--blocks"}:
        sys.exit(__doc__)
    if "--blocks" in options:
        return count_blocks(paths)
    self_test()
    if len(EXCEPTIONS) > 12:
        sys.exit("check-language: more than twelve exceptions; refine the expressions")
    matches, used = [], set()
    for path in filter(is_checked, files_below(paths or PATHS)):
        with open(path, encoding="utf-8") as file:
            for unit in read_units(path, file.read()):
                for match in matches_in(path, unit):
                    index = next((index for index, (where, part, _) in enumerate(EXCEPTIONS)
                                  if path == where and part in unit.text), None)
                    matches += [match] if index is None else []
                    used.add(index)
    unused = [EXCEPTIONS[index][:2] for index in range(len(EXCEPTIONS)) if index not in used]
    if unused and not paths:
        sys.exit(f"check-language: exceptions that match nothing: {unused}")
    if "--count" in options:
        for folder, count in sorted(collections.Counter(folder_of(match.path) for match in matches).items()):
            print(f"{count:6} {folder}")
        print(f"{len(matches):6} in all")
        return
    for match in sorted(set(matches), key=lambda match: (match.path, match.line)):
        print(f"{match.path}:{match.line}: {match.reason}: {match.text}")
    if matches:
        sys.exit(f"check-language: {len(matches)} matches")


if __name__ == "__main__":
    main(sys.argv[1:])
