"""A playbin with an edrsink: what the keys of pipelines/play do."""

from gi.repository import Gst, GstVideo

from edr import HEADROOM, display_state, frame_counts, make_sink
from media import add_chain, make

# GstPlayFlags: video, audio, text, soft-volume, deinterlace. Not soft-colorbalance, which works on 8 bits.
VIDEO, AUDIO, TEXT, SOFT_VOLUME, DEINTERLACE = 1, 2, 4, 0x10, 0x200
HEADROOM_STEP = 2 ** 0.25


class Player:
    def __init__(self, presenter, extended, headroom, tone_mapping, has_sound):
        self.sink = make_sink(
            presenter=presenter, wants_extended_dynamic_range=extended, force_headroom=headroom or 0.0,
            tone_mapping=tone_mapping)
        flags = VIDEO | TEXT | DEINTERLACE | (AUDIO | SOFT_VOLUME if has_sound else 0)
        # GStreamer 1.22's playbin3 never ends where a track, such as a phone's metadata, has no decoder.
        self.playbin = make("playbin", video_sink=self.sink)
        # The binding has no type for these flags.
        Gst.util_set_object_arg(self.playbin, "flags", f"0x{flags:x}")
        self.bus = self.playbin.get_bus()
        # The end of the stream id of the video to be shown.
        self.video = None
        self.playbin.connect("video-changed", self._choose_video)
        self.is_paused = False
        self.is_live = False
        self.buffering = 100
        self.has_stepped = False
        self.known_position = 0
        # Frames that decoders have left out because they came too late, by the decoder's name.
        self.left_out = {}

    # MARK: Files

    def open(self, item):
        """Plays an Item of a list from its start."""
        self.playbin.set_state(Gst.State.READY)
        self.playbin.set_property("video-filter", self._filter(item))
        self.video = item.video
        self.playbin.set_property("uri", item.uri)
        self.buffering = 100
        self.has_stepped = False
        self.known_position = 0
        self.left_out.clear()
        wanted = Gst.State.PAUSED if self.is_paused else Gst.State.PLAYING
        self.is_live = self.playbin.set_state(wanted) == Gst.StateChangeReturn.NO_PREROLL

    def _filter(self, item):
        """What sets right what GStreamer 1.22 does not read from the file, or reads wrong."""
        chain = []
        if item.fields:
            text = "video/x-raw," + ",".join(f"{name}=(string){value}" for name, value in item.fields.items())
            chain.append(make("capssetter", caps=Gst.Caps.from_string(text)))
        if item.orientation:
            chain.append(make("taginject", tags=f"image-orientation={item.orientation}"))
        if len(chain) < 2:
            return chain[0] if chain else None
        both = Gst.Bin.new()
        add_chain(both, *chain)
        for name, element in (("sink", chain[0]), ("src", chain[-1])):
            both.add_pad(Gst.GhostPad.new(name, element.get_static_pad(name)))
        return both

    def _choose_video(self, playbin):
        """Turns to the file's main video; playbin takes whichever it finds first."""
        for index in range(playbin.get_property("n-video")):
            pad = playbin.emit("get-video-pad", index)
            peer = pad.get_peer() if pad else None
            name = (peer.get_stream_id() if peer else None) or ""
            if self.video is not None and name.rsplit("/", 1)[-1] == self.video:
                if playbin.get_property("current-video") != index:
                    playbin.set_property("current-video", index)
                return

    def close(self):
        self.playbin.set_state(Gst.State.NULL)

    @property
    def position(self):
        # While a seek is under way the position is unknown, but for where the seek leads.
        known, position = self.playbin.query_position(Gst.Format.TIME)
        if known and self.playbin.get_state(0)[0] != Gst.StateChangeReturn.ASYNC:
            self.known_position = max(position, 0)
        return self.known_position

    @property
    def duration(self):
        known, duration = self.playbin.query_duration(Gst.Format.TIME)
        return duration if known and duration > 0 else None

    # MARK: Transport

    def pause_or_play(self):
        self.is_paused = not self.is_paused
        if not self.is_paused and self.has_stepped:
            # The sound has stayed where the steps began.
            self.seek(self.position)
        self._apply()

    def _apply(self):
        waits = self.is_paused or (self.buffering < 100 and not self.is_live)
        self.playbin.set_state(Gst.State.PAUSED if waits else Gst.State.PLAYING)

    def note_buffering(self, percent):
        was_waiting, self.buffering = self.buffering < 100, percent
        if was_waiting != (percent < 100):
            self._apply()

    def note_quality(self, message):
        form, _processed, dropped = message.parse_qos_stats()
        if message.src is not self.sink and form == Gst.Format.BUFFERS:
            self.left_out[message.src.get_name()] = dropped

    def restart_clock(self):
        if not self.is_paused:
            self.playbin.set_state(Gst.State.PAUSED)
            self._apply()

    def seek(self, time):
        """To a time of the file, exactly."""
        self.has_stepped = False
        time = max(time, 0)
        if not self.playbin.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time):
            return False
        self.known_position = time
        return True

    def step(self):
        """To the next frame, paused."""
        if not self.is_paused:
            self.is_paused = True
            self._apply()
        self.has_stepped = True
        self.sink.send_event(Gst.Event.new_step(Gst.Format.BUFFERS, 1, 1.0, True, False))

    @property
    def volume(self):
        """As heard: loudness is about the third power of the factor."""
        return self.playbin.get_property("volume") ** (1 / 3)

    def change_volume(self, by):
        self.playbin.set_property("volume", min(max(round(self.volume + by, 2), 0.0), 1.0) ** 3)

    # MARK: Display

    @property
    def headroom(self):
        return self.sink.get_property("headroom")

    @property
    def is_extended(self):
        return self.sink.get_property("wants-extended-dynamic-range")

    @property
    def shows_sdr(self):
        return self.display_state().get("color-space") == "srgb"

    def toggle_extended(self):
        self.sink.set_property("wants-extended-dynamic-range", not self.is_extended)

    def change_headroom(self, steps):
        low, high = HEADROOM
        forced = min(max(self.headroom * HEADROOM_STEP ** steps, low), high)
        self.sink.set_property("force-headroom", forced)

    def follow_display(self):
        """Back to the headroom that the display has."""
        self.sink.set_property("force-headroom", 0.0)

    def save(self, path):
        return self.sink.emit("save-frame", path)

    def display_state(self):
        return display_state(self.sink)

    def counts(self):
        """How many frames were shown, how many of them late, and how many were dropped on the way."""
        counts = frame_counts(self.sink)
        dropped = counts["dropped"] + counts["skipped"] + sum(self.left_out.values())
        return counts["presented"] + counts["late"], counts["late"], dropped


def key_of(message):
    """The key that was pressed in the window, of a navigation message; None for any other message."""
    if GstVideo.Navigation.message_get_type(message) != GstVideo.NavigationMessageType.EVENT:
        return None
    known, event = GstVideo.Navigation.message_parse_event(message)
    if not known or GstVideo.Navigation.event_get_type(event) != GstVideo.NavigationEventType.KEY_PRESS:
        return None
    known, key = GstVideo.Navigation.event_parse_key_event(event)
    return key if known else None
