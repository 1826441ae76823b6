"""The C library from Python, through its typelib alone: timebases, and pipelines on a clock of the network.

Prints a line for each thing that it has found to be as it should; anything else ends it.
"""

import statistics
import sys

import gi

for name, version in (("Gst", "1.0"), ("GstCheck", "1.0"), ("GstHdr", "1.0"), ("GstNet", "1.0")):
    gi.require_version(name, version)
from gi.repository import Gio, GLib, Gst, GstCheck, GstHdr, GstNet

SECOND, MS = Gst.SECOND, Gst.MSECOND
VIDEO = "videotestsrc ! video/x-raw,width=16,height=16,framerate=50/1 ! fakesink name=sink sync=true"


def check(condition, what):
    if not condition:
        sys.exit(f"not as it should be: {what}")


def timebases():
    clock = GstCheck.TestClock.new_with_start_time(10 * SECOND)
    timebase = GstHdr.Timebase.new(clock)
    child = GstHdr.Timebase.new_with_timebase(timebase)
    said = []
    timebase.connect("time-jumped", lambda _, time: said.append(("jumped", time)))
    child.connect("effective-rate-changed", lambda _, rate: said.append(("rate", rate)))
    check(timebase.set_rate(2) and child.set_rate_fraction(-1, 4), "rates")
    check(not timebase.set_rate(float("nan")), "a rate that is none")
    timebase.set_time(3 * SECOND)
    clock.set_time(12 * SECOND)
    check(timebase.get_time_and_rate() == (7 * SECOND, 2.0), timebase.get_time_and_rate())
    check(child.get_rate_fraction() == (-1, 4), child.get_rate_fraction())
    check(said == [("rate", -0.5), ("jumped", 3 * SECOND)], said)
    check(GstHdr.sync_convert_time(7 * SECOND, timebase, clock) == 12 * SECOND, "conversion")
    check(GstHdr.sync_get_relative_rate(child, timebase) == -0.25, "relative rate")
    fired = []
    timer = timebase.add_timer(None, lambda base, time: fired.append((base, time)))
    timebase.set_timer_fire_time(timer, 9 * SECOND)
    clock.set_time(13 * SECOND)
    clock.process_next_clock_id()
    while GLib.MainContext.default().iteration(False):
        pass
    check(fired == [(timebase, 9 * SECOND)] and timebase.remove_timer(timer), fired)
    print("timebases")


def failures():
    pipeline = Gst.parse_launch(VIDEO)
    try:
        GstHdr.set_rate_time_at_host_time(pipeline, 1, 0, Gst.CLOCK_TIME_NONE)
        check(False, "a start of a pipeline that is not ready")
    except GLib.Error as error:
        check(error.matches(GstHdr.error_quark(), GstHdr.Error.NOT_READY), error)
        check("PAUSED" in error.message, error.message)
    print("failures")


def preroll(pipeline, rate, cancellable=None):
    """Whether it was done; the error's domain otherwise."""
    loop, answers = GLib.MainLoop(), []

    def done(source, result):
        try:
            answers.append(GstHdr.preroll_at_rate_finish(source, result))
        except GLib.Error as error:
            answers.append(error.domain)
        loop.quit()

    GstHdr.preroll_at_rate(pipeline, rate, cancellable, done)
    if cancellable:
        cancellable.cancel()
    loop.run()
    check(len(answers) == 1, answers)
    return answers[0]


def network():
    """Two pipelines, each on a clock of its own that follows one over the network, on one instant."""
    master = Gst.SystemClock.obtain()
    provider = GstNet.NetTimeProvider.new(master, "127.0.0.1", 0)
    late, pipelines = [], []
    for _ in range(2):
        clock = GstNet.NetClientClock.new(None, "127.0.0.1", provider.get_property("port"), 0)
        check(clock.wait_for_sync(10 * SECOND), "the clock follows")
        pipeline = Gst.parse_launch(VIDEO)
        pipeline.set_state(Gst.State.PAUSED)
        pipeline.get_state(10 * SECOND)
        GstHdr.use_master_clock(pipeline, clock)
        sink = pipeline.get_by_name("sink")
        sink.set_property("signal-handoffs", True)
        shown = []
        sink.connect("handoff", lambda _, buffer, pad, shown=shown: shown.append((master.get_time(), buffer.pts)))
        pipelines.append((pipeline, clock, shown))
        check(preroll(pipeline, 2) is True, "the preroll")
    cancelled = Gio.Cancellable()
    check(preroll(pipelines[0][0], -1, cancelled) in (True, "g-io-error-quark"), "a preroll that is cancelled")
    start = master.get_time() + 300 * MS
    for pipeline, clock, _ in pipelines:
        GstHdr.set_rate_time_at_host_time(pipeline, 2, 4 * SECOND, start)
        check(pipeline.get_base_time() == start and pipeline.get_clock() == clock, "the base time")
        timebase = GstHdr.get_timebase(pipeline)
        check(timebase.get_source_clock() == clock and timebase.get_time_at(start) == 4 * SECOND, "the timebase")
    # How late this machine is for anything at all.
    busy = []
    for index in range(40):
        due = start + index * 10 * MS
        Gst.Clock.id_wait(master.new_single_shot_id(due))
        busy.append(master.get_time() - due)
    while any(len(shown) < 40 for _, _, shown in pipelines):
        GLib.usleep(10000)
    for pipeline, _, shown in pipelines:
        pipeline.set_state(Gst.State.NULL)
        check([frame for _, frame in shown[:40]] == [4 * SECOND + index * 20 * MS for index in range(40)], shown)
        late += [time - start - index * 10 * MS for index, (time, _) in enumerate(shown[:40])]
    # The tail is the scheduler's, and the clocks' agreement on a busy machine.
    median, own = statistics.median(late) / MS, statistics.median(busy) / MS
    check(-2 < median < 5 + own, f"frames are {median:.3f} ms late, of which {own:.3f} ms are the machine's")
    print("network")
    print(f"median {median:.3f} ms, most {max(late) / MS:.3f} ms", file=sys.stderr)


Gst.init(None)
timebases()
failures()
network()
