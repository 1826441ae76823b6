// The C library from JavaScript, through its typelib. Prints what it has found.
imports.gi.versions.Gst = '1.0';
imports.gi.versions.GstHdr = '1.0';
const {Gst, GstHdr} = imports.gi;

Gst.init(null);
const queue = GstHdr.Queue.new(2);
print(`queue of ${queue.get_capacity()}, ${queue.get_count()} in it`);

const timebase = GstHdr.Timebase.new(Gst.SystemClock.obtain());
timebase.set_rate(1.001);
print(`rate ${timebase.get_rate_fraction().join('/')}`);

const pipeline = Gst.parse_launch(
    'videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,width=64,height=36 ! hdrtap name=tap ! fakesink');
const tap = pipeline.get_by_name('tap');
// GJS runs no function on a thread that is not its own, so that frames come by a video output.
const output = GstHdr.video_output_new(tap);
output.format = 'rgba16f';
pipeline.set_state(Gst.State.PAUSED);
pipeline.get_state(10 * Gst.SECOND);
const [sample, time] = GstHdr.video_output_copy_frame(output, 0);
print(`${sample.get_buffer().get_size()} bytes of light at ${time}`);
pipeline.set_state(Gst.State.NULL);

try {
    GstHdr.set_rate_time_at_host_time(pipeline, 1, 0, 0);
} catch (error) {
    print(error.matches(GstHdr.error_quark(), GstHdr.Error.NOT_READY));
}
