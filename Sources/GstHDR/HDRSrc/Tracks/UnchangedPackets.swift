import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRConcurrency

/// Keeps packets as they are in the file. `h265parse` inserts parameter sets and messages of the header into the first
/// packet, and into the first one after each seek: even in front of an access unit delimiter, which has to come first
/// (H.265 7.4.2.4.4), and even where the packet has its own.
enum UnchangedPackets {
    private struct State: @unchecked Sendable {
        /// The NAL unit framing of packets; `nil` where these are not whole access units.
        var framing: NALFraming?
        /// The packet that the parser is processing, a reference of which is owned here.
        var packet: UnsafeMutablePointer<GstBuffer>?

        mutating func take(_ next: UnsafeMutablePointer<GstBuffer>?) {
            if let packet { gst_buffer_unref(packet) }
            packet = next.map { gst_buffer_ref($0) }
        }
    }

    private final class Packets: Sendable {
        private let state = Locked(State())

        deinit { state.withLock { $0.take(nil) } }

        func read(_ caps: UnsafeMutablePointer<GstCaps>?) {
            let structure = caps.flatMap { gst_caps_get_structure($0, 0) }
            let framing = structure.flatMap { NALFraming(hevc: $0) }
            state.withLock { state in
                state.framing = framing == .byteStream ? nil : framing
                state.take(nil)
            }
        }

        func take(_ packet: UnsafeMutablePointer<GstBuffer>) {
            state.withLock { $0.take($0.framing == nil ? nil : packet) }
        }

        /// The present packet as it was before the parser; `nil` where the parser has not changed it.
        func original(of made: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
            state.withLock { state in
                defer { state.take(nil) }
                guard let packet = state.packet, let framing = state.framing,
                    gst_buffer_get_size(made) > gst_buffer_get_size(packet)
                else { return nil }
                let bytes = packet.withBytes { given in
                    let isSame = made.withBytes { AddedParameterSets.areAll(of: $0, beyond: given, framing) } == true
                    return isSame ? Array(given) : nil
                }
                return (bytes ?? nil).flatMap { made.replaced(by: $0) }
            }
        }
    }

    static func keep(behind parser: UnsafeMutablePointer<GstElement>) {
        guard let entry = gst_element_get_static_pad(parser, "sink") else { return }
        defer { gst_object_unref(entry) }
        guard let exit = gst_element_get_static_pad(parser, "src") else { return }
        defer { gst_object_unref(exit) }
        let packets = Packets()
        PadProbe.add(entry, [GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM]) { _, info in
            if info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_BUFFER.rawValue != 0 {
                if let buffer = gst_pad_probe_info_get_buffer(info) { packets.take(buffer) }
            } else if let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS {
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                packets.read(caps)
            }
            return GST_PAD_PROBE_OK
        }
        PadProbe.add(exit, [GST_PAD_PROBE_TYPE_BUFFER]) { _, info in
            guard let made = gst_pad_probe_info_get_buffer(info), let original = packets.original(of: made) else {
                return GST_PAD_PROBE_OK
            }
            gst_buffer_unref(made)
            info.pointee.data = gpointer(original)
            return GST_PAD_PROBE_OK
        }
    }
}
