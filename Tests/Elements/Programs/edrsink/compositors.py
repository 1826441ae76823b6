"""Compositors without a screen: Weston, which has no colour management, Mutter on an SDR and on an HDR display, and KWin."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

from bench import HLG, PQ, SRGB, Bench, caps, rgba64, run, wait
from window import ROWS, SIZE
from xserver import serve

WESTON = ("weston", "--backend=headless-backend.so", "--use-pixman", "--width=320", "--height=240", "--socket=wl",
          "--idle-time=0", "--no-config")
MUTTER = ("mutter", "--headless", "--no-x11", "--wayland", "--virtual-monitor", "320x240", "--wayland-display=wl")
KWIN = ("kwin_wayland", "--virtual", "--width", "320", "--height", "240", "--socket", "wl", "--no-lockscreen")


class Compositor:
    """A compositor as this program's Wayland display, with a message bus of its own where it needs one. To be used in a
    `with`."""

    def __init__(self, *command, needs_bus=True, **environment):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o700)
        self.address = f"unix:path={self.folder}/bus"
        self.environment = environment | {
            "XDG_RUNTIME_DIR": self.folder, "HOME": self.folder, "PATH": os.environ["PATH"],
            "DBUS_SESSION_BUS_ADDRESS": self.address}
        self.command = command
        self.needs_bus = needs_bus
        self.servers = []

    def start(self, socket, *command):
        """Starts a server, and waits until its socket is there."""
        self.servers.append(serve(*command, env=self.environment, stdout=subprocess.DEVNULL))
        assert wait(lambda: os.path.exists(f"{self.folder}/{socket}"), 20), f"{command[0]} does not start"

    def __enter__(self):
        if self.needs_bus:
            self.start("bus", "dbus-daemon", "--session", "--nofork", f"--address={self.address}")
        self.start("wl", *self.command)
        os.environ.update(XDG_RUNTIME_DIR=self.folder, WAYLAND_DISPLAY="wl")
        return self

    def __exit__(self, kind, value, trace):
        for server in reversed(self.servers):
            server.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(5)
            server.kill()
            server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def shown(color, **more):
    """A sink that has shown a second of pictures in a colour."""
    with Bench(caps(*SIZE, color, **more), paused=False, presenter="wayland") as bench:
        for _ in range(30):
            bench.push(rgba64(ROWS))
        bench.finish()
        record = bench.get("frame-record")
        count = {name: record.get_uint64(name)[1] for name in ("presented", "late", "dropped", "pending")}
        # A busy machine is late with many, or drops them; each that was shown has its time. The base class drops some
        # before the sink sees them.
        frames = record.get_int("frames")[1]
        unseen = bench.get("stats").get_uint64("dropped")[1]
        assert frames + unseen == 30 and frames == sum(count.values()), (frames, unseen, count)
        assert count["presented"] >= 1, count
        times = [record.get_value(str(index)).get_uint64("presented-time")[1] for index in range(frames)]
        times = [moment for moment in times if moment]
        assert len(times) >= count["presented"] and times == sorted(set(times)), times
        assert bench.get("display-state").get_string("presenter") == "wayland"
        yield bench


def play(color, **expected):
    """Shows pictures in a colour, and checks what the sink says of the display."""
    with shown(color) as bench:
        state = bench.get("display-state")
        assert "color-management-v1" in state.to_string(), state.to_string()
        for name, value in expected.items():
            name = name.replace("_", "-")
            found = bench.get(name) if name == "eligible-for-hdr-playback" else state.get_value(name)
            close = abs(found - value) < 0.001 if isinstance(value, float) else found == value
            assert close, (color, name, found, value)
        return state.to_string()


def weston():
    """A compositor without colour management: the sink says what is missing for extended range."""
    with Compositor(*WESTON, needs_bus=False), shown(PQ, content_light_level="1000:400") as bench:
        state = bench.get("display-state").to_string()
        assert bench.get("headroom") == 1, state
        assert "color" in state.split("why-nothing-better")[1], state


def mutter():
    """On an SDR display pictures in HDR stay within SDR."""
    with Compositor(*MUTTER):
        play(SRGB, headroom=1.0, color_space="srgb")
        for color in (PQ, HLG):
            play(color, headroom=1.0, pixel_format="rgba16f", color_space="extended-linear-display-p3")


def mutter_hdr():
    """On an HDR display they have its headroom, where the compositor tells it: before Mutter 49 it does not."""
    with Compositor(*MUTTER, MUTTER_DEBUG_FORCE_HDR="1"):
        state = play(SRGB, headroom=1.0, color_space="srgb")
        tells = "target_luminance" not in state
        head = 10000 / 203 if tells else 1.0
        for color in (PQ, HLG):
            play(color, headroom=head, potential_headroom=head, eligible_for_hdr_playback=tells,
                 pixel_format="rgba16f", white_value=1 / head, reference_white=203.0)


def kwin():
    """Without a GPU KWin takes no half floats: pictures in HDR come in 10-bit PQ."""
    with Compositor(*KWIN):
        play(SRGB, headroom=1.0, color_space="srgb")
        for color in (PQ, HLG):
            play(color, headroom=1.0, pixel_format="rgb10a2", color_space="bt2100-pq")


if __name__ == "__main__":
    run({"weston": weston, "mutter": mutter, "mutter-hdr": mutter_hdr, "kwin": kwin})
