import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream

/// Shows the muxer one description of a copied stream, the first.
///
/// `h265parse` and `av1parse` take mastering display, light level and more from messages that may stand in some access units
/// only, and out of the caps again where the next ones lack them; muxers refuse caps that change. The container's own metadata
/// come from the plan and the stream, so that nothing is lost where a field that comes late is left out. Parameter sets that
/// change are the one thing that a decoder needs: they go into the stream, in front of each picture that it can start with.
final class SteadyCapsFilter: BinFilter, @unchecked Sendable {
    /// Parameter sets as they stand in a stream.
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
            guard let value = gst_structure_get_value(structure, "codec_data"),
                g_type_check_value_holds(value, gst_buffer_get_type()) != 0,
                let data = g_value_get_boxed(value)?.assumingMemoryBound(to: GstBuffer.self),
                let record = data.withBytes({ Array($0) })
            else { return nil }
            if gst_structure_has_name(structure, "video/x-h265") != 0 {
                guard let hevc = try? HEVCConfigurationRecord(record) else { return nil }
                // Video, sequence and picture parameter sets; messages are the stream's own.
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
    /// Those of the header, and those of the pictures that come now.
    private var first: ParameterSets?
    private var current: ParameterSets?
    private var hasChanged = false
    /// The next picture needs the new ones even where no decoder starts with it.
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
                "the stream changes its parameter sets on the way. They are written into the stream, where some players "
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
