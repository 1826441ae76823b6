import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Notes the decoder configuration record of compressed video that passes.
final class ConfigurationFilter: BinFilter, @unchecked Sendable {
    private let record: Locked<[UInt8]?>

    init(_ record: Locked<[UInt8]?>) { self.record = record }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            let structure = caps.flatMap { gst_caps_get_structure($0, 0) }
            let found = structure.flatMap { Caps.buffer($0, "codec_data") }?.withBytes { Array($0) }
            record.withLock { $0 = found }
        }
        return push(event)
    }
}
