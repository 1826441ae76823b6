"""Inspection of sources that do not end, that are slow, and of files whose streams are in any order.

Prints a line for each thing that it has found to be as it should; anything else ends it. Its argument is a folder for
files.
"""

import http.server
import os
import sys
import threading
import time

import gi

for name, version in (("Gst", "1.0"), ("GstHdr", "1.0")):
    gi.require_version(name, version)
from gi.repository import GLib, Gst, GstHdr

FOLDER = sys.argv[1]
TIMEOUT = 60 * Gst.SECOND


def path(name):
    return os.path.join(FOLDER, name)


def make(line):
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, line


class Server(http.server.ThreadingHTTPServer):
    """Serves the files of the folder: below /endless/ each one again and again, below /slow/ each after a while."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def uri(self, name):
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        kind, name = self.path[1:].split("/")
        with open(path(name), "rb") as file:
            content = file.read()
        if kind == "slow":
            time.sleep(0.4)
        self.send_response(200)
        if kind == "slow":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
            while kind == "endless":
                self.wfile.write(content)
        except OSError:
            pass


def kinds(uri, flags=GstHdr.InspectFlags.NONE):
    streams = GstHdr.inspect_uri(uri, flags, TIMEOUT).get_array("streams")[1]
    return [streams.get_nth(index).get_string("kind") for index in range(streams.n_values)]


def endless():
    for name in ("clip.h265", "clip.ts", "clip.flac"):
        expected = {"clip.h265": ["video"], "clip.ts": ["video", "audio"], "clip.flac": ["audio"]}[name]
        found = kinds(SERVER.uri("endless/" + name))
        assert found == expected, (name, found)
    try:
        GstHdr.inspect_uri(SERVER.uri("endless/clip.h265"), GstHdr.InspectFlags.WHOLE, 3 * Gst.SECOND)
        assert False, "the end of what has none"
    except GLib.Error as error:
        assert error.matches(GstHdr.error_quark(), GstHdr.Error.INTERRUPTED), error
        assert error.message.endswith(": it has not been read whole after 3000 ms"), error
    print("endless")


def slow():
    """A playlist whose segments come late is at work, though nothing of the pipeline seems to be. Its streams come from
    parsers of their own, and have no numbers."""
    with open(path("clip.m3u8"), "w") as file:
        file.write("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nclip.ts\n#EXT-X-ENDLIST\n")
    found = kinds(SERVER.uri("slow/clip.m3u8"))
    assert sorted(found) == ["audio", "video"], found
    print("slow")


def order():
    """The order of the container, in which sound comes first here."""
    make("audiotestsrc num-buffers=20 ! avenc_aac ! matroskamux name=m ! filesink location=" + path("order.mkv")
         + f" {VIDEO} ! m.")
    for flags in (GstHdr.InspectFlags.NONE, GstHdr.InspectFlags.WHOLE):
        found = kinds(Gst.filename_to_uri(path("order.mkv")), flags)
        assert found == ["audio", "video"], found
    print("order")


Gst.init(None)
VIDEO = ("videotestsrc num-buffers=25 ! video/x-raw,format=I420,width=64,height=64,framerate=25/1 "
         "! x265enc speed-preset=ultrafast key-int-max=5 ! h265parse config-interval=-1")
make(f"{VIDEO} ! filesink location=" + path("clip.h265"))
make(f"{VIDEO} ! mpegtsmux name=m ! filesink location=" + path("clip.ts")
     + " audiotestsrc num-buffers=45 ! avenc_aac ! aacparse ! m.")
make("audiotestsrc num-buffers=45 ! flacenc ! filesink location=" + path("clip.flac"))
SERVER = Server()
endless()
slow()
order()
