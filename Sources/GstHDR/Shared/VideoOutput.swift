import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// An application's access to frames by time, with a record of the frames that it has taken.
///
/// It corresponds to AVPlayerItemVideoOutput.
final class VideoOutput: ShimObject, @unchecked Sendable {
    private struct Consumption {
        /// The number of the last frame that was taken.
        var number: UInt64 = 0
        var running: UInt64?
        var copied: UInt64 = 0
        /// Frames that were shown between two that were taken.
        var missed: UInt64 = 0
        var repeated: UInt64 = 0
    }

    private let store: FrameStore
    private let consumption = Locked(Consumption())

    init(_ store: FrameStore) { self.store = store }

    /// Whether the frame for a running time has not been taken yet.
    func hasNewFrame(_ itemTime: UInt64) -> Bool {
        guard let number = store.number(at: itemTime) else { return false }
        return number > consumption.current.number
    }

    /// Takes the frame for a running time; the caller owns the sample. `nil` if there is none.
    func copyFrame(_ itemTime: UInt64) -> OpaquePointer? {
        guard let frame = store.frame(at: itemTime) else { return nil }
        consumption.withLock { record in
            if frame.number > record.number {
                if record.number > 0 { record.missed += frame.number - record.number - 1 }
                record.copied += 1
                record.number = frame.number
                record.running = frame.running
            } else {
                record.repeated += 1
            }
        }
        return frame.sample
    }

    /// The value of the property `consumption-record`. The caller owns it.
    func structure() -> Structure.Pointer? {
        let record = consumption.current
        return Structure.make(
            "consumption-record",
            [
                ("copied", .uint64(record.copied)), ("missed", .uint64(record.missed)),
                ("repeated", .uint64(record.repeated)),
                ("last-item-time", .uint64(record.running ?? UInt64(GstClockTime.max))),
            ])
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_video_output_free(_ impl: gpointer!) { VideoOutput.free(impl) }

@c @implementation
func hdr_video_output_has_new_frame(_ impl: gpointer!, _ item_time: guint64) -> gboolean {
    VideoOutput.with(impl) { $0.hasNewFrame(UInt64(item_time)) } ? 1 : 0
}

@c @implementation
func hdr_video_output_copy_frame(_ impl: gpointer!, _ item_time: guint64) -> OpaquePointer! {
    VideoOutput.with(impl) { $0.copyFrame(UInt64(item_time)) }
}

@c @implementation
func hdr_video_output_consumption_record(_ impl: gpointer!) -> UnsafeMutablePointer<GstStructure>! {
    VideoOutput.with(impl) { $0.structure() }
}
