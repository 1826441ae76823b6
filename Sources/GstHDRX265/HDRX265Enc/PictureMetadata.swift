import CGStreamer
import CHDRTap

/// The dynamic metadata of a picture that are written into the stream with it.
///
/// They are not passed to libx265, which could write them too: its version 3.5 repeats the Dolby Vision metadata of an
/// earlier picture for one that has none.
struct PictureMetadata {
    /// A Dolby Vision RPU without emulation prevention; `nil` for none.
    private(set) var dolbyVision: [UInt8]?
    /// The payloads of SEI messages of type 4 (H.265 D.2.6).
    private(set) var messages: [[UInt8]] = []
    /// The formats of the metadata that are written.
    private(set) var formats: [GstHdrDynamicFormat] = []
    /// Why metadata are not written.
    private(set) var defects: [String] = []

    /// The maximum length of metadata in bytes: the longest of the standards have some hundred.
    private static let longest = 1 << 16

    /// Reads the metadata of a buffer. Those that describe other light than the picture's are skipped.
    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        for format in [GST_HDR_DOLBY_VISION, GST_HDR_HDR10_PLUS, GST_HDR_ST2094_50] {
            var flags: guint = 0
            guard let data = gst_hdr_buffer_ref_dynamic_metadata_(buffer, format, &flags) else { continue }
            defer { g_bytes_unref(data) }
            guard flags & GST_HDR_DYNAMIC_METADATA_STALE.rawValue == 0 else { continue }
            var size: gsize = 0
            guard let start = g_bytes_get_data(data, &size), (1...Self.longest).contains(Int(clamping: size)) else {
                defects.append("Dynamic metadata are empty or longer than \(Self.longest) bytes.")
                continue
            }
            take(format, [UInt8](UnsafeRawBufferPointer(start: start, count: Int(size))))
        }
    }

    private mutating func take(_ format: GstHdrDynamicFormat, _ bytes: [UInt8]) {
        if format == GST_HDR_DOLBY_VISION {
            guard bytes.first == Self.rpuPrefix, bytes.last == Self.rpuEnd else {
                defects.append("Dolby Vision metadata do not begin with 25 and end with 128.")
                return
            }
            dolbyVision = bytes
        } else {
            guard bytes.first == Self.countryCode else {
                defects.append("HDR10+ or ST 2094-50 metadata do not begin with the country code 0xB5.")
                return
            }
            messages.append(bytes)
        }
        formats.append(format)
    }

    /// The first and the last byte of an RPU (ETSI TS 103 572).
    private static let rpuPrefix: UInt8 = 25
    private static let rpuEnd: UInt8 = 0x80
    /// The country code of the United States (ITU-T T.35).
    private static let countryCode: UInt8 = 0xB5
}
