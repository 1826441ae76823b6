import CGStreamer
import CGstCheck
import Glibc
import TestSupport
import Testing

/// Buffers of random bytes, sizes, layouts and times, whose last byte lies in front of a page that may not be touched:
/// no element reads or writes beside them, and none ends the program.
///
/// `HDR_FUZZ` is the number of buffers for each element, 20 000 without it.
@Suite(.quiet)
struct FuzzedBufferTests {
    static let count = TestWork.scaled(
        getenv("HDR_FUZZ").flatMap { Int(String(cString: $0)) } ?? 20_000, least: 200)
    /// Buffers between changes of caps.
    static let run = 250

    /// Memory that ends in front of a forbidden page, for one buffer at a time.
    final class GuardedMemory: @unchecked Sendable {
        private let base: UnsafeMutableRawPointer
        private let size: Int
        private let page = Int(sysconf(Int32(_SC_PAGESIZE)))

        init(atMost bytes: Int) throws {
            size = (bytes + page - 1) / page * page
            base = try #require(mmap(nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            try #require(base != MAP_FAILED && mprotect(base + size, page, PROT_NONE) == 0)
            var generator = SeededGenerator(seed: 1)
            for offset in stride(from: 0, to: size, by: 8) {
                base.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
        }

        deinit { munmap(base, size + page) }

        /// A buffer on the memory's last bytes, of which a few are new.
        func buffer(_ bytes: Int, _ generator: inout SeededGenerator) -> UnsafeMutablePointer<GstBuffer>? {
            let bytes = min(max(0, bytes), size)
            let start = base + size - bytes
            for _ in 0..<min(8, bytes) {
                let offset = Int.random(in: 0..<bytes, using: &generator)
                start.storeBytes(of: UInt8.random(in: 0...255, using: &generator), toByteOffset: offset, as: UInt8.self)
            }
            let buffer = gst_buffer_new()
            if bytes > 0 {
                gst_buffer_append_memory(
                    buffer,
                    gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, start, gsize(bytes), 0, gsize(bytes), nil, nil))
            }
            return buffer
        }
    }

    /// Caps of a random picture, and their description.
    private static func picture(_ generator: inout SeededGenerator) -> (caps: String, info: GstVideoInfo)? {
        let format = Format.all.randomElement(using: &generator) ?? Format("I420")
        let colors = [Color.pq, .hlg, .sdr, .sRGB, .displayP3, .linear].map { $0.colorimetry(format) }
        let mode = Int.random(in: 0..<8, using: &generator) == 0 ? "interlace-mode=interleaved" : nil
        let text = caps(
            format.name, Bool.random(using: &generator) ? colors.randomElement(using: &generator) : nil,
            Int.random(in: 1...40, using: &generator), Int.random(in: 1...24, using: &generator),
            more: mode ?? "framerate=25/1")
        guard let parsed = gst_caps_from_string(text) else { return nil }
        defer { gst_caps_unref(parsed) }
        var info = GstVideoInfo()
        return gst_video_info_from_caps(&info, parsed) != 0 ? (text, info) : nil
    }

    /// Mostly what the caps say; else a little or far too much or too few, and layouts and times of all kinds.
    private static func deform(
        _ memory: GuardedMemory, _ info: GstVideoInfo, _ generator: inout SeededGenerator
    ) -> UnsafeMutablePointer<GstBuffer>? {
        var size = Int(info.size)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: size -= Int.random(in: 1...64, using: &generator)
        case 1: size += Int.random(in: 1...4096, using: &generator)
        case 2: size = Int.random(in: 0...64, using: &generator)
        default: break
        }
        guard let buffer = memory.buffer(size, &generator) else { return nil }
        let times = [
            0, 40_000_000, GstClockTime.max, GstClockTime.max - 1, .random(in: 0...1 << 40, using: &generator),
        ]
        buffer.pointee.pts = times.randomElement(using: &generator) ?? 0
        buffer.pointee.duration = Bool.random(using: &generator) ? GstClockTime.max : 40_000_000
        return buffer
    }

    @Test func pictures() throws {
        var generator = SeededGenerator(seed: 20_261_122)
        let memory = try GuardedMemory(atMost: 1 << 16)
        var pushed = 0
        while pushed < Self.count {
            guard let (source, info) = Self.picture(&generator), let (target, _) = Self.picture(&generator) else {
                continue
            }
            let harness = try Harness([
                "quality": ["fast", "balanced", "reference"].randomElement(using: &generator) ?? "fast",
                "chroma-mode": Bool.random(using: &generator) ? "linear" : "nearest",
            ])
            // The sizes of source and target are the same, whatever the target's caps were made for.
            let wanted = target.split(separator: ",").filter { part in
                !["width", "height", "framerate", "interlace"].contains { part.hasPrefix($0) }
            }
            guard harness.negotiate(source, to: wanted.joined(separator: ",")) else { continue }
            for _ in 0..<Self.run {
                guard let buffer = Self.deform(memory, info, &generator) else { continue }
                _ = gst_harness_push(harness.harness, buffer)
                if let output = harness.pull() { _ = output }
                pushed += 1
            }
            _ = harness.messages()
        }
        #expect(pushed >= Self.count)
    }

    @Test func shownPictures() throws {
        var generator = SeededGenerator(seed: 20_261_123)
        let memory = try GuardedMemory(atMost: 1 << 16)
        let sink = try SinkHarness()
        var pushed = 0
        var isStarted = false
        while pushed < Self.count {
            guard let (source, info) = Self.picture(&generator) else { continue }
            if isStarted { try sink.sendCaps(source) } else { try sink.start(source) }
            isStarted = true
            for _ in 0..<Self.run {
                guard let buffer = Self.deform(memory, info, &generator) else { continue }
                _ = sink.push(buffer)
                pushed += 1
            }
            _ = sink.errors
        }
        #expect(pushed >= Self.count)
    }

    @Test(arguments: ["bandpass", "gain", "meter", "waveform", ""]) func sounds(_ effect: String) throws {
        var generator = SeededGenerator(seed: 20_261_124)
        let memory = try GuardedMemory(atMost: 1 << 16)
        let formats = ["S8", "U8", "S16LE", "S16BE", "S24LE", "S24_32LE", "S32LE", "F32LE", "F64LE", "U32BE"]
        var pushed = 0
        while pushed < Self.count / 5 {
            let harness = try TapHarness(effect: effect.isEmpty ? nil : effect)
            let channels = Int.random(in: 1...9, using: &generator)
            let rates = [1, 8000, 44_100, 48_000, 192_000, 2_000_000]
            try harness.start(
                audioCaps(
                    formats.randomElement(using: &generator) ?? "S16LE", channels: channels,
                    rate: rates.randomElement(using: &generator) ?? 48_000))
            for _ in 0..<Self.run {
                guard let buffer = memory.buffer(Int.random(in: 0...4096, using: &generator), &generator) else {
                    continue
                }
                let times = [0, GstClockTime.max, GstClockTime.max - 1, .random(in: 0...1 << 40, using: &generator)]
                buffer.pointee.pts = times.randomElement(using: &generator) ?? 0
                let flags = [GST_BUFFER_FLAG_DISCONT, GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_RESYNC]
                for flag in flags where Bool.random(using: &generator) {
                    buffer.pointee.mini_object.flags |= flag.rawValue
                }
                _ = gst_harness_push(harness.harness, buffer)
                while let output = gst_harness_try_pull(harness.harness) { gst_buffer_unref(output) }
                pushed += 1
            }
            _ = harness.messages()
        }
        #expect(pushed >= Self.count / 5)
    }
}
