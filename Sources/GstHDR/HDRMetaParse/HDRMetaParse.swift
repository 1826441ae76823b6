import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream

/// The Swift half of the element `hdrmetaparse`: attaches the dynamic metadata of coded pictures to their buffers, from
/// which decoders pass them on with the decoded picture. Bytes and caps stay unchanged.
final class HDRMetaParse: BinFilter, @unchecked Sendable {
    /// The codec and size that the caps describe; streaming thread only.
    private struct Stream {
        var reader: DynamicMetadataReader
        /// The size in pixels; 0 where it is unknown.
        var width: Int
        var height: Int
    }
    private var stream: Stream?
    /// Whether damaged metadata were reported, which is done once per stream.
    private var hasComplained = false
    /// The element is there only after this object.
    private var log: Log {
        Log(category: gst_hdr_meta_parse_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    override func stop() {
        stream = nil
        hasComplained = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            stream = caps.flatMap { gst_caps_get_structure($0, 0) }.flatMap(Self.stream)
            hasComplained = false
            log.info(
                stream.map { "reads the metadata of pictures of \($0.width)x\($0.height)" }
                    ?? "reads nothing: the caps do not say how the stream is framed")
        }
        return push(event)
    }

    private static func stream(_ structure: Caps.Structure) -> Stream? {
        guard let format = Self.format(structure) else { return nil }
        var (width, height): (gint, gint) = (0, 0)
        gst_structure_get_int(structure, "width", &width)
        gst_structure_get_int(structure, "height", &height)
        return Stream(reader: DynamicMetadataReader(format), width: Int(max(width, 0)), height: Int(max(height, 0)))
    }

    private static func format(_ structure: Caps.Structure) -> UserDataEditor.Stream? {
        guard let name = gst_structure_get_name(structure) else { return nil }
        if String(cString: name) == "video/x-av1" { return .av1 }
        return NALFraming(hevc: structure).map { .hevc($0) }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard var stream = self.stream else { return push(buffer) }
        // Dropping the second reference avoids a copy when the value is changed.
        self.stream = nil
        let reading = buffer.withBytes { stream.reader.read($0) }
        self.stream = stream
        guard let reading else { return push(buffer) }
        if let problem = reading.problems.first { complain(problem) }
        guard !reading.payloads.isEmpty, let writable = buffer.writable() else { return push(buffer) }
        for payload in reading.payloads {
            log.debug("\(Self.name(payload.format)) on the picture of \(writable.pointee.pts) ns")
            writable.setMetadata(BufferMetadata(payload: payload, width: stream.width, height: stream.height))
        }
        return push(writable)
    }

    private static func name(_ format: DynamicMetadataPayload.Format) -> String {
        switch format {
        case .dolbyVision: "Dolby Vision"
        case .hdr10Plus: "HDR10+"
        case .st209450: "SMPTE ST 2094-50"
        }
    }

    private func complain(_ text: String) {
        log.debug("left out: \(text)")
        if hasComplained { return }
        hasComplained = true
        warning("a picture goes without its dynamic HDR metadata: \(text)", .stream(GST_STREAM_ERROR_DECODE))
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_meta_parse_new() -> gpointer! { HDRMetaParse().impl }
