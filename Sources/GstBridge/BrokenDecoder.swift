/// The decoder that accepts 10-bit HEVC, outputs 8-bit pictures of other content, and writes beyond their memory.
/// `hdrsrc` and `hdr play` leave it out, and so does `gst_hdr_eligible_for_hdr_playback`, with a check of its own in C.
package enum BrokenDecoder {
    package static let name = "libde265dec"
}
