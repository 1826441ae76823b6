"""What a command needs beside its work: its own lines on the terminal, its arguments, and files that appear whole."""

import argparse
import importlib
import os
import re
import sys
import tempfile


def _escaped(match):
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that is not UTF-8, as Python keeps it.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


# What moves a terminal's cursor, changes its colours or the direction of what it prints.
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
IN_TEXT, IN_NAMES = re.compile(f"[{CONTROLS}]"), re.compile(f"[{CONTROLS}\t\n]")


def shown(name):
    """A file's name for messages: on one line, with what controls a terminal written out."""
    return IN_NAMES.sub(_escaped, name)


class Console:
    """A command's lines, each with its name in front where they go to standard error."""

    def __init__(self, name):
        self.name = name

    def keep_stderr(self):
        """Keeps standard error for these lines: libraries write to it as they like. Someone who sets GST_DEBUG wants
        to read them."""
        if "GST_DEBUG" in os.environ:
            return
        own = os.dup(2)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 2)
        os.close(silent)
        sys.stderr = os.fdopen(own, "w", buffering=1, errors="replace")

    def say(self, text, stream=None):
        try:
            print(IN_TEXT.sub(_escaped, str(text)), file=stream or sys.stdout, flush=True)
        except OSError:
            # The reader has gone. What is left in the stream's buffer must not fail again at the end.
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, (stream or sys.stdout).fileno())
            os.close(silent)

    def complain(self, text):
        self.say(f"{self.name}: {text}", sys.stderr)


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line, as any other error."""

    def __init__(self, console):
        super().__init__(prog=console.name, add_help=False, allow_abbrev=False)
        self.console = console

    def error(self, message):
        self.console.complain(f"{message}; {self.prog} --help lists what there is")
        sys.exit(1)


def check_output(path, endings, source, force):
    """Checks everything about an output that can be checked before the work. A link is written to where it leads."""
    from media import Failure

    name = shown(path)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Failure(f"{name} is a name that is not UTF-8, which GStreamer's Python modules need: name another "
                      "output") from None
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path) or path.endswith("/"):
        example = shown(os.path.join(path, "out" + endings[0]))
        raise Failure(f"{name} is a folder: name the file to write, for example {example}")
    if not path.lower().endswith(endings):
        *others, last = endings
        choices = f"{', '.join(others)} or {last}" if others else last
        raise Failure(f"{name} should end in {choices}")
    is_link = os.path.islink(path)
    if is_link:
        path, folder = _follow(path)
    if not os.path.isdir(folder):
        raise Failure(f"there is no folder {shown(folder)}: create it first (mkdir -p)")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failure(f"the folder {shown(folder)} cannot be written to: name an output elsewhere")
    if not os.path.exists(path):
        if is_link and not force:
            raise Failure(f"{name} is a link to {shown(path)}, which is not there: name another output, or add "
                          "--force to write it")
        return
    if os.path.exists(source) and os.path.samefile(source, path):
        raise Failure(f"{name} is the input itself: name another output")
    if not os.path.isfile(path):
        raise Failure(f"{name} is not a regular file: name another output")
    if not force:
        raise Failure(f"{name} exists already: name another output, or add --force to replace it")


def _follow(link):
    """Where a link leads, and the folder that is in."""
    from media import Failure

    target = os.path.realpath(link)
    if os.path.islink(target):
        raise Failure(f"{shown(link)} is a link that leads to itself: name another output")
    return target, os.path.dirname(target)


class HiddenFile:
    """A hidden file beside its final place, which takes that place only when it is whole. Where the place is a link, it
    is what the link leads to."""

    def __init__(self, final, prefix):
        from media import ErrorContext, Failure

        self.final = final
        self.place = os.path.realpath(final) if os.path.islink(final) else final
        try:
            handle, self.path = tempfile.mkstemp(
                prefix=f".{prefix}-", suffix=os.path.splitext(final)[1], dir=os.path.dirname(self.place) or ".")
        except OSError as error:
            raise Failure(ErrorContext(None, final).write_failed(error.strerror)) from None
        # mkstemp makes files for the owner alone; this one gets what any new file would.
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        os.close(handle)

    def __enter__(self):
        return self

    def publish(self):
        from media import ErrorContext, Failure

        try:
            os.replace(self.path, self.place)
        except OSError as error:
            raise Failure(ErrorContext(None, self.final).write_failed(error.strerror)) from None
        self.path = None

    def __exit__(self, *_):
        if self.path:
            try:
                os.unlink(self.path)
            except OSError:
                pass


def run_command(console, perform, arguments, module="media", packages=""):
    """Calls `perform(arguments)`, and prints what went wrong in one line. Returns the exit status.

    `module` imports all that `perform` needs, and `packages` has it beside GStreamer.
    """
    try:
        from media import Failure, Interrupted, start_gstreamer
        importlib.import_module(module)
    except (ImportError, ValueError) as error:
        console.complain(f"Python modules are missing ({error}): "
                         f"apt-get install python3-gi gir1.2-gst-plugins-base-1.0 {packages}".rstrip())
        return 1
    try:
        start_gstreamer()
        perform(arguments)
        return 0
    except Failure as failure:
        console.complain(failure)
        return 1
    except Interrupted as interruption:
        console.complain("interrupted")
        return 128 + interruption.number
    except MemoryError:
        console.complain("there is not enough memory: close other programs")
        return 1
    except Exception as error:  # noqa: BLE001
        console.complain(" ".join(f"an error in {console.name} itself: {type(error).__name__}: {error}".split()))
        return 1
