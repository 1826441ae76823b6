import CGStreamer
import CHDRTap

@testable import HDRTap

/// Drives a processor through the callbacks as the element does, with samples from memory.
final class MockElement {
    private struct Handle {
        var tap = GstHdrAudioTap()
        /// The data that the source delivers in the current call.
        var planes: UnsafeMutablePointer<UnsafeMutableRawPointer?>
        var planeCount: Int
        var frameBytes: Int
        var available = 0
        var flags: guint = 0
        var start = 0
        var rate = 0
        var fetches = 0
    }

    private let handle: UnsafeMutablePointer<Handle>
    private let callbacks = TapCallbacks.all
    private(set) var info = GstAudioInfo()
    private(set) var isFinalized = false

    init<Processor: AudioProcessor & ~Copyable>(
        _ processor: consuming Processor, element: UnsafeMutablePointer<GstElement>
    ) {
        handle = .allocate(capacity: 1)
        handle.initialize(to: Handle(planes: .allocate(capacity: 64), planeCount: 0, frameBytes: 0))
        handle.pointee.planes.initialize(repeating: nil, count: 64)
        handle.pointee.tap.size = gsize(MemoryLayout<GstHdrAudioTap>.size)
        handle.pointee.tap.get_source_audio = { tap, frames, list, flags, range, framesOut in
            guard let tap, let list else { return GST_HDR_TAP_INVALID_ARGUMENT }
            let handle = UnsafeMutableRawPointer(tap).assumingMemoryBound(to: Handle.self)
            let got = min(Int(frames), handle.pointee.available)
            for plane in 0..<handle.pointee.planeCount {
                list.pointee.buffers[plane].data = handle.pointee.planes[plane]
                list.pointee.buffers[plane].size = guint(got * handle.pointee.frameBytes)
            }
            flags?.pointee = handle.pointee.flags
            range?.pointee = GstHdrTapTimeRange(
                start: handle.pointee.start, duration: got, timescale: gint(handle.pointee.rate))
            framesOut?.pointee = guint(got)
            handle.pointee.available -= got
            handle.pointee.fetches += 1
            return GST_HDR_TAP_OK
        }
        let box = Unmanaged<TapBox>.passRetained(ProcessorBox(element, processor)).toOpaque()
        handle.pointee.tap.user_data = box
        callbacks.`init`(&handle.pointee.tap, box)
    }

    deinit {
        finalize()
        handle.pointee.planes.deallocate()
        handle.deallocate()
    }

    var latency: Int { Int(handle.pointee.tap.latency) }
    var tail: UInt64 { UInt64(handle.pointee.tap.tail) }
    var fetches: Int { handle.pointee.fetches }

    /// - Returns: Whether the processor took the format.
    func prepare(
        _ format: GstAudioFormat = GST_AUDIO_FORMAT_F32LE, rate: Int = 48000, channels: Int = 2, planar: Bool = false,
        maxFrames: Int = 64
    ) -> Bool {
        gst_audio_info_set_format(&info, format, gint(rate), gint(channels), nil)
        info.layout = planar ? GST_AUDIO_LAYOUT_NON_INTERLEAVED : GST_AUDIO_LAYOUT_INTERLEAVED
        handle.pointee.tap.latency = 0
        handle.pointee.tap.tail = 0
        handle.pointee.planeCount = planar ? channels : 1
        handle.pointee.frameBytes = Int(info.finfo.pointee.width) / 8 * (planar ? 1 : channels)
        handle.pointee.rate = rate
        return callbacks.prepare(&handle.pointee.tap, guint(maxFrames), &info) != 0
    }

    func unprepare() { callbacks.unprepare(&handle.pointee.tap) }

    func finalize() {
        if !isFinalized { callbacks.finalize(&handle.pointee.tap) }
        isFinalized = true
    }

    struct Answer {
        var framesOut: Int
        var flagsOut: UInt32
        /// Whether the call left a plane without memory.
        var hasHole: Bool
        /// The bytes of each plane, for all frames of the call.
        var planes: [[UInt8]]

        func samples<Sample: BitwiseCopyable>(_ plane: Int = 0, as type: Sample.Type = Float.self) -> [Sample] {
            planes[plane].withUnsafeBytes { Array($0.bindMemory(to: type)) }
        }
    }

    /// One process call for `frames` frames, of which the source has as many as `planes` hold.
    func process<Sample: BitwiseCopyable>(
        _ planes: [[Sample]], frames: Int, flags: UInt32 = 0, sourceFlags: UInt32 = 0, start: Int = 0
    ) -> Answer {
        let frameBytes = handle.pointee.frameBytes
        var memory: [UnsafeMutableRawBufferPointer] = []
        for (index, samples) in planes.enumerated() {
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: samples.count * MemoryLayout<Sample>.stride, alignment: 64)
            samples.withUnsafeBytes { bytes.copyMemory(from: $0) }
            memory.append(bytes)
            handle.pointee.planes[index] = bytes.baseAddress
        }
        defer { for bytes in memory { bytes.deallocate() } }
        handle.pointee.available = memory[0].count / frameBytes
        handle.pointee.flags = guint(sourceFlags)
        handle.pointee.start = start

        var buffers = planes.map { _ in GstHdrTapAudioBuffer(channels: 1, size: guint(frames * frameBytes), data: nil) }
        var framesOut = guint(frames)
        var flagsOut: guint = 0
        buffers.withUnsafeMutableBufferPointer { buffers in
            var list = GstHdrTapAudioBufferList(n_buffers: guint(buffers.count), buffers: buffers.baseAddress)
            callbacks.process(&handle.pointee.tap, guint(frames), guint(flags), &list, &framesOut, &flagsOut)
        }
        return Answer(
            framesOut: Int(framesOut), flagsOut: UInt32(flagsOut), hasHole: buffers.contains { $0.data == nil },
            planes: buffers.map { buffer in
                guard let data = buffer.data else { return [] }
                return Array(UnsafeRawBufferPointer(start: data, count: frames * frameBytes))
            })
    }
}
