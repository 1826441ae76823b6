import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRMetadata

/// Writes metadata into encoded video: SEI messages and VUI of HEVC, VUI of H.264, frame headers of ProRes.
final class BitstreamFilter: BinFilter, @unchecked Sendable {
    enum Work {
        case hevc(HEVCMetadataRewriter.Settings)
        /// H.264 in byte-stream format: colour and chroma location of the VUI.
        case h264(ColorDescription, UInt8?)
        case proRes(ColorDescription)
    }
    private let work: Work
    private var hevc: HEVCMetadataRewriter?
    /// Whether unreadable data were reported, which is done once.
    private var hasComplained = false

    init(_ work: Work) { self.work = work }

    override func stop() {
        hevc = nil
        hasComplained = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS, case .hevc(let settings) = work else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        var framing = NALFraming.byteStream
        var replaced: UnsafeMutablePointer<GstEvent>?
        if let given, let structure = gst_caps_get_structure(given, 0),
            let data = Caps.buffer(structure, "codec_data")
        {
            let record = data.withBytes { Array($0) } ?? []
            do {
                framing = try HEVCConfigurationRecord(record).framing
                let filter = try HEVCMetadataRewriter(settings, framing: framing)
                if let changed = try filter.rewriteConfiguration(record) { replaced = Self.caps(given, changed) }
            } catch {
                complain("\(error)")
            }
        }
        do {
            hevc = try HEVCMetadataRewriter(settings, framing: framing)
        } catch {
            self.error("the HDR metadata cannot be written: \(error)", .stream(GST_STREAM_ERROR_ENCODE))
            gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
            return false
        }
        guard let replaced else { return push(event) }
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        return push(replaced)
    }

    private static func caps(
        _ given: UnsafeMutablePointer<GstCaps>, _ record: [UInt8]
    ) -> UnsafeMutablePointer<GstEvent>? {
        guard let copy = gst_caps_copy(given), let buffer = UnsafeMutablePointer<GstBuffer>(record) else { return nil }
        defer { gst_caps_unref(copy) }
        if let structure = gst_caps_get_structure(copy, 0) {
            var value = GValue()
            g_value_init(&value, gst_buffer_get_type())
            gst_value_take_buffer(&value, buffer)
            gst_structure_take_value(structure, "codec_data", &value)
        }
        return gst_event_new_caps(copy)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        switch work {
        case .hevc:
            guard let filter = hevc else { return push(buffer) }
            return push(buffer, buffer.withBytes { bytes in Swift.Result { try filter.rewrite(bytes) } })
        case .h264(let color, let location):
            return push(
                buffer,
                buffer.withBytes { bytes in
                    Swift.Result {
                        try AVCMetadataRewriter(color: color, chromaLocation: location, framing: .byteStream).rewrite(
                            bytes)
                    }
                })
        case .proRes(let color):
            guard let bytes = buffer.withBytes({ Array($0) }) else { return push(buffer) }
            var frame = bytes
            do {
                guard try ProResFrameHeader.setColor(color, in: &frame), frame != bytes,
                    let changed = buffer.replaced(by: frame)
                else { return push(buffer) }
                gst_buffer_unref(buffer)
                return push(changed)
            } catch {
                complain("\(error)")
                return push(buffer)
            }
        }
    }

    /// Pushes the rewritten buffer, or the buffer itself where nothing changed.
    private func push(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ result: Swift.Result<[UInt8]?, any Error>?
    ) -> GstFlowReturn {
        switch result {
        case .success(let bytes?)?:
            guard let changed = buffer.replaced(by: bytes) else { return push(buffer) }
            gst_buffer_unref(buffer)
            return push(changed)
        case .failure(let problem)?:
            complain("\(problem)")
            return push(buffer)
        default: return push(buffer)
        }
    }

    private func complain(_ text: String) {
        if hasComplained { return }
        hasComplained = true
        warning("no HDR metadata are written into the encoded video: \(text)")
    }
}

/// Puts a buffer into a value, without the macro that casts it.
private func gst_value_take_buffer(_ value: UnsafeMutablePointer<GValue>, _ buffer: UnsafeMutablePointer<GstBuffer>) {
    g_value_take_boxed(value, buffer)
}
