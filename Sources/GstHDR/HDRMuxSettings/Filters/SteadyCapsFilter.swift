import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream

/// Keeps the first caps of a copied stream.
///
/// `h265parse` and `av1parse` add mastering display, content light level and other fields to the caps when an access
/// unit has the SEI message, and remove them when the next one lacks it; muxers refuse caps that change. No metadata
/// are lost by leaving out later fields: the container's come from the plan and the bitstream. Only changed parameter
/// sets are needed by decoders: they are written into the stream, in front of each random access picture.
final class SteadyCapsFilter: BinFilter, @unchecked Sendable {
    /// Parameter sets with the stream's NAL unit framing.
    private struct ParameterSets {
        let lengthSize: NALLengthSize
        let bytes: [UInt8]

        init(_ lengthSize: NALLengthSize, _ units: [[UInt8]]) {
            self.lengthSize = lengthSize
            bytes = units.flatMap { unit in
                (0..<lengthSize.rawValue).reversed().map { UInt8(truncatingIfNeeded: unit.count >> ($0 * 8)) } + unit
            }
        }

        /// - Returns: `nil` for caps of a codec without such a record, and for records that cannot be read.
        init?(_ structure: Caps.Structure) {
            guard let data = Caps.buffer(structure, "codec_data"), let record = data.withBytes({ Array($0) }) else {
                return nil
            }
            if gst_structure_has_name(structure, "video/x-h265") != 0 {
                guard let hevc = try? HEVCConfigurationRecord(record) else { return nil }
                // VPS, SPS and PPS; SEI messages stay where the stream has them.
                self.init(hevc.lengthSize, hevc.arrays.filter { (32...34).contains($0.type) }.flatMap(\.units))
            } else if gst_structure_has_name(structure, "video/x-h264") != 0 {
                guard let avc = try? AVCConfigurationRecord(record) else { return nil }
                self.init(avc.lengthSize, avc.sequenceSets + avc.pictureSets)
            } else {
                return nil
            }
        }
    }

    private var hasCaps = false
    /// The parameter sets in the header, and those of the current pictures.
    private var first: ParameterSets?
    private var current: ParameterSets?
    private var hasChanged = false
    /// Whether the next picture needs the new parameter sets even where it is no random access picture.
    private var isDue = false

    override func stop() {
        hasCaps = false
        (first, current) = (nil, nil)
        (hasChanged, isDue) = (false, false)
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let structure = gst_caps_get_structure(given, 0) else { return push(event) }
        let sets = ParameterSets(structure)
        guard hasCaps else {
            hasCaps = true
            (first, current) = (sets, sets)
            return push(event)
        }
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self)) }
        guard let sets, let first, sets.bytes != current?.bytes else { return true }
        guard sets.lengthSize == first.lengthSize else {
            error(
                "the stream changes the size of its NAL units' lengths, which one track cannot hold; "
                    + "choose a preset that encodes", .stream(GST_STREAM_ERROR_MUX))
            return false
        }
        if !hasChanged {
            warning(
                "the stream changes its parameter sets midway. They are written into the stream, where some players "
                    + "do not look for them; a preset that encodes makes one stream of it")
        }
        current = sets
        (hasChanged, isDue) = (true, true)
        return true
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let isStart = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DELTA_UNIT.rawValue == 0
        guard hasChanged, isDue || isStart, let current else { return push(buffer) }
        guard let bytes = buffer.withBytes({ current.bytes + Array($0) }), let changed = buffer.replaced(by: bytes)
        else {
            return push(buffer)
        }
        isDue = false
        gst_buffer_unref(buffer)
        return push(changed)
    }
}
