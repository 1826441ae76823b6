"""Runs a program on a terminal of its own and types.

terminal.py STEPS PROGRAM ARGUMENT... with STEPS as a JSON list of [pattern, keys]: when what the program has written since
the last step matches the pattern, the keys are typed. What it writes goes to standard output; the exit status is its own.
"""

import json
import os
import pty
import re
import sys

steps = json.loads(sys.argv[1])
process, terminal = pty.fork()
if process == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = ""
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        # The program has closed its side.
        break
    if not data:
        break
    text = data.decode(errors="replace")
    sys.stdout.write(text)
    seen += text
    if steps and re.search(steps[0][0], seen):
        os.write(terminal, steps.pop(0)[1].encode())
        seen = ""
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
