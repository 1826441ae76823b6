import CGStreamer
import GstBridge
import HDRMetadata

/// The fields of the first structure of some caps.
struct CapsFields {
    private let structure: UnsafeMutablePointer<GstStructure>
    private let caps: OwnedCaps

    init?(_ caps: OwnedCaps) {
        guard let structure = gst_caps_get_structure(caps.pointer, 0) else { return nil }
        self.structure = structure
        self.caps = caps
    }

    var name: String { gst_structure_get_name(structure).map { String(cString: $0) } ?? "" }

    func string(_ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }

    func integer(_ field: String) -> Int? {
        var value: CInt = 0
        return gst_structure_get_int(structure, field, &value) != 0 ? Int(value) : nil
    }

    func unsigned(_ field: String) -> Int? {
        var value: CUnsignedInt = 0
        return gst_structure_get_uint(structure, field, &value) != 0 ? Int(value) : nil
    }

    func fraction(_ field: String) -> Fraction? {
        var (numerator, denominator): (CInt, CInt) = (0, 0)
        guard gst_structure_get_fraction(structure, field, &numerator, &denominator) != 0, denominator > 0 else {
            return nil
        }
        return Fraction(Int(numerator), Int(denominator))
    }

    func has(_ field: String) -> Bool { gst_structure_has_field(structure, field) != 0 }

    /// The bytes of a buffer, such as `codec_data`.
    func bytes(_ field: String) -> [UInt8]? {
        guard let value = gst_structure_get_value(structure, field),
            value.holds(gst_buffer_get_type()), let boxed = g_value_get_boxed(value)
        else { return nil }
        let buffer = boxed.assumingMemoryBound(to: GstBuffer.self)
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(buffer, &map) }
        return Array(UnsafeBufferPointer(start: map.data, count: Int(map.size)))
    }

    /// The code points of `colorimetry`; `nil` where it is absent.
    var color: ColorDescription? { string("colorimetry").flatMap { ColorDescription(colorimetry: $0) } }

    /// The codec or container for people, such as "MPEG-4 AAC".
    var description: String {
        guard let text = gst_pb_utils_get_codec_description(caps.pointer) else { return name }
        defer { g_free(text) }
        let whole = String(cString: text)
        // The report has the profile, which stands in brackets here, in a place of its own.
        return whole.last == ")" ? whole.split(separator: " (", maxSplits: 1).first.map(String.init) ?? whole : whole
    }

    var isContainer: Bool {
        let flags = gst_pb_utils_get_caps_description_flags(caps.pointer)
        return flags.rawValue & GST_PBUTILS_CAPS_DESCRIPTION_FLAG_CONTAINER.rawValue != 0
    }
}

/// Caps with a reference of their own.
final class OwnedCaps: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstCaps>

    /// Takes a reference.
    init(_ pointer: UnsafeMutablePointer<GstCaps>) {
        self.pointer = pointer
        gst_caps_ref(pointer)
    }

    deinit { gst_caps_unref(pointer) }
}
