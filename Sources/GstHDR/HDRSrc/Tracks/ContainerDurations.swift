import CGStreamer
import GstBridge
import HDRConcurrency

/// The durations that a file's container has for video packets, by track and running time. Parsers replace them by
/// those of the stream's own frame rate; in a file that is played at another rate, the last frame would then be too
/// short or too long.
final class ContainerDurations: Sendable {
    private let known = Locked<[String: [UInt64: UInt64]]>([:])
    /// The maximum number of packets between the demuxer and the last filter that asks for their durations.
    private static let mostWaiting = 4096

    /// Records the durations of the packets that a demuxer's pad sends.
    func watch(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let name = gst_pad_get_stream_id(pad) else { return }
        defer { g_free(name) }
        let number = String(cString: name).split(separator: "/").last.map(String.init) ?? ""
        PadProbe.add(pad, [GST_PAD_PROBE_TYPE_BUFFER]) { [weak self] pad, info in
            guard let self, let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_REMOVE }
            note(buffer, pad, number)
            return GST_PAD_PROBE_OK
        }
    }

    private func note(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ pad: UnsafeMutablePointer<GstPad>, _ number: String
    ) {
        guard let duration = ClockTime.known(buffer.pointee.duration), duration > 0,
            let event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
        else { return }
        defer { gst_mini_object_unref(event.asMiniObject) }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        guard let time = ClockTime.known(buffer.pointee.pts).flatMap({ ClockTime.runningTime(segment, $0) }) else {
            return
        }
        known.withLock { known in
            var durations = known.removeValue(forKey: number) ?? [:]
            if durations.count >= Self.mostWaiting { durations = [:] }
            durations[time] = duration
            known[number] = durations
        }
    }

    /// The duration of a track's packet at a running time; the record is removed.
    func take(_ number: String, at time: UInt64) -> UInt64? {
        known.withLock { $0[number]?.removeValue(forKey: time) }
    }
}
