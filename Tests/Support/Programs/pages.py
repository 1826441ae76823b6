"""Checks pages in Markdown, whose names come on standard input.

Relative links have to lead to files that are there, anchors to headings. The table "Folders" of the architecture page has
to name every folder that has files of the project (at the top, in Sources and in Tests), and no other. In its other tables,
and in CONTRIBUTING.md, what is written as code and looks like a file has to be there, below Sources where it has no other
folder; and in a row that names one file, what looks like a function, such as `chain()`, has to be in that file.
"""

import os
import re
import sys
from urllib.parse import unquote

MAP = "Sources/GstHDR/GstHDR.docc/architecture.md"
# Folders whose own folders the map names too.
OPENED = ("Sources", "Tests")
ENDINGS = ("swift", "c", "h", "py", "sh", "md", "txt", "build", "wrap", "map")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_code(text):
    """Code has brackets of its own."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    """GitHub's names of the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?)\s*$", re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S), re.M):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        count = 0
        while name + (f"-{count}" if count else "") in found:
            count += 1
        found.add(name + (f"-{count}" if count else ""))
    return found


def broken_links(page):
    for target in re.findall(r"\]\(([^()\s]+)\)", without_code(text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if page.endswith(".md") and ".docc/" in page and path and not os.path.splitext(path)[1]:
            # DocC finds pictures by their names, and says itself where there are none.
            continue
        if not os.path.exists(file):
            yield f"{page}: the link {target} leads nowhere"
        elif anchor and file.endswith(".md") and anchor not in anchors(file):
            yield f"{page}: {file} has no heading #{anchor}"


def folders():
    """Those with files of the project, as paths with a slash at the end."""
    found = set()
    for opened in ("", *OPENED):
        for name in os.listdir(opened or "."):
            path = os.path.join(opened, name)
            if os.path.isdir(path) and path not in ("build", ".git", ".build") and not name.startswith(".build"):
                if any(files for _, _, files in os.walk(path)):
                    found.add(path + "/")
    return found


def map_differences():
    text = text_of(MAP)
    section = re.search(r"^## Folders\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not section:
        yield f"{MAP} has no section Folders"
        return
    named = set()
    for cell in re.findall(r"^\| *([^|]+?) *\|", section[1], re.M):
        named.update(name for name in re.findall(r"`([^`]+/)`", cell))
    there = folders()
    for folder in sorted(there - named):
        yield f"{MAP}: the folder {folder} is not named"
    for name in sorted(named - there):
        if not os.path.isdir(name):
            yield f"{MAP}: there is no folder {name}"


def is_below_a_folder(word):
    """Whether a word with a slash begins with one of the project's folders: media types and fractions do not."""
    first = word.split("/")[0]
    if "/" not in word or first == "build" or first.startswith("."):
        return False
    return os.path.isdir(first) or os.path.isdir(os.path.join("Sources", first))


def code_differences(page):
    for row in text_of(page).split("\n"):
        words = re.findall(r"`([^`\s]+)`", row)
        files = []
        for word in words:
            if not re.fullmatch(r"[\w.+/-]+", word):
                continue
            is_file = word.endswith(tuple("." + ending for ending in ENDINGS))
            path = word if os.path.exists(word) else os.path.join("Sources", word)
            if os.path.exists(path):
                files += [path] if is_file and os.path.isfile(path) else []
            elif is_below_a_folder(word) or (is_file and "/" in word):
                yield f"{page}: there is no file {word}"
        if len(files) == 1:
            content = text_of(files[0])
            for name in re.findall(r"`(\w+)\(\)`", row):
                if not re.search(rf"\b{name}\b", content):
                    yield f"{page}: {files[0]} has no {name}"


def main():
    pages = sys.stdin.read().split()
    problems = [problem for page in pages for problem in broken_links(page)]
    problems += map_differences() if os.path.exists(MAP) else [f"{MAP} is missing"]
    for page in (MAP, "CONTRIBUTING.md"):
        problems += code_differences(page) if os.path.exists(page) else []
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
