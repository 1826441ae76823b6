// The C library from Vala, through its GIR. Prints what it has found.
async void preroll (Gst.Element pipeline, MainLoop loop) {
    try {
        yield GstHdr.preroll_at_rate (pipeline, 2, null);
        print ("prerolled\n");
    } catch (Error error) {
        print ("%s\n", error.message);
    }
    loop.quit ();
}

int main (string[] args) {
    Gst.init (ref args);
    var queue = new GstHdr.Queue (2);
    print ("queue of %zu, %zu in it\n", queue.get_capacity (), queue.get_count ());

    var timebase = new GstHdr.Timebase (Gst.SystemClock.obtain ());
    timebase.set_rate (1.001);
    int64 numerator, denominator;
    timebase.get_rate_fraction (out numerator, out denominator);
    print ("rate %s/%s\n", numerator.to_string (), denominator.to_string ());

    try {
        var pipeline = Gst.parse_launch (
            "videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,width=64,height=36 ! hdrtap name=tap ! fakesink");
        var frames = 0;
        GstHdr.tap_set_video_function (
            ((Gst.Bin) pipeline).get_by_name ("tap"), GstHdr.TapView.LIGHT_HALF, GstHdr.TapAccess.READ,
            GstHdr.TapColorSpace.DEFAULT, (frame, times) => {
                frames++;
                return GstHdr.TapFrameResult.OK;
            });
        pipeline.set_state (Gst.State.PLAYING);
        pipeline.get_bus ().timed_pop_filtered (10 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR);
        pipeline.set_state (Gst.State.NULL);
        print ("%d frames\n", frames);
        var sound = Gst.parse_launch ("audiotestsrc num-buffers=3 samplesperbuffer=480 ! hdrtap name=tap ! fakesink");
        uint samples = 0;
        GstHdr.tap_set_audio_function (((Gst.Bin) sound).get_by_name ("tap"), (block) => {
                samples += block.frames;
                Memory.set (block.get_samples (0), 0, block.buffer_size);
            });
        sound.set_state (Gst.State.PLAYING);
        sound.get_bus ().timed_pop_filtered (10 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR);
        sound.set_state (Gst.State.NULL);
        print ("%u frames of sound\n", samples);
        var film = Gst.parse_launch ("videotestsrc ! fakesink sync=true");
        film.set_state (Gst.State.PAUSED);
        var loop = new MainLoop ();
        preroll.begin (film, loop);
        loop.run ();
        film.set_state (Gst.State.NULL);
        GstHdr.set_rate_time_at_host_time (pipeline, 1, 0, 0);
    } catch (Error error) {
        print ("%s\n", (error is GstHdr.Error.NOT_READY).to_string ());
    }
    return 0;
}
