"""`threads.py SETTING` prints how many threads the process has while `hdrcompositor` with a setting composes pictures."""
import os
import sys

from bench import Line

with Line("hdrcompositor", "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=640,height=360 ! c.",
          f"{sys.argv[1]} sink_0::alpha=0.5") as line:
    seen = []
    line.sink.connect("handoff", lambda *_: seen.append(len(os.listdir("/proc/self/task"))))
    line.play()
    assert line.ending() == "eos"
    print(max(seen))
