// The C library from JavaScript, through its typelib. Prints what it has found.
imports.gi.versions.Gst = '1.0';
imports.gi.versions.GstHdr = '1.0';
const {GLib, Gst, GstHdr} = imports.gi;

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

// A function for sound runs where buffers come from, here on this program's own thread.
const element = Gst.ElementFactory.make('hdrtap', null);
const blocks = [];
GstHdr.tap_set_audio_function(element, block => {
    const samples = new Float32Array(block.copy_samples(0).toArray().buffer).map(sample => sample / 2);
    block.write_samples(0, new GLib.Bytes(new Uint8Array(samples.buffer)));
    blocks.push([block.frames, block.format.rate, samples[0], block.range.start]);
});
const source = new Gst.Pad({name: 'source', direction: Gst.PadDirection.SRC});
source.set_active(true);
source.link(element.get_static_pad('sink'));
element.set_state(Gst.State.PLAYING);
source.push_event(Gst.Event.new_stream_start('sound'));
source.push_event(Gst.Event.new_caps(Gst.Caps.from_string(
    'audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=1')));
const segment = Gst.Segment.new();
segment.init(Gst.Format.TIME);
source.push_event(Gst.Event.new_segment(segment));
const buffer = Gst.Buffer.new_wrapped(new Uint8Array(new Float32Array(480).fill(0.5).buffer));
buffer.pts = 0;
source.push(buffer);
element.set_state(Gst.State.NULL);
print(`sound ${blocks.join()}`);
try {
    GstHdr.tap_set_audio_function(pipeline, () => {});
} catch (error) {
    print(error.matches(Gst.LibraryError.quark(), Gst.LibraryError.SETTINGS));
}

try {
    GstHdr.set_rate_time_at_host_time(pipeline, 1, 0, 0);
} catch (error) {
    print(error.matches(GstHdr.error_quark(), GstHdr.Error.NOT_READY));
}
