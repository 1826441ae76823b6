import CGStreamer

/// A seek to the start that flushes. The file imports CGStreamer alone: beside CGstCheck, whose headers include the
/// same ones, the compiler misses GST_SEEK_FLAG_FLUSH now and then.
func flushingSeek() -> UnsafeMutablePointer<GstEvent>? {
    gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)
}
