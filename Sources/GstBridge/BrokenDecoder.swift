/// The decoder that accepts 10-bit HEVC, outputs 8-bit pictures of other content, and writes beyond their memory.
/// Nothing here uses it.
package enum BrokenDecoder {
    package static let name = "libde265dec"
}
