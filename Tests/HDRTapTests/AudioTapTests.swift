import CGStreamer
import CHDRTap
import Testing

@testable import HDRTap

/// A processor is called, and owned, as the element's contract has it.
@Suite struct AudioTapTests {
    /// An element without a pipeline, on whose bus warnings arrive.
    final class Host {
        let element: UnsafeMutablePointer<GstElement>
        let bus: UnsafeMutablePointer<GstBus>

        init() throws {
            gst_init(nil, nil)
            element = try #require(gst_element_factory_make("identity", nil))
            gst_object_ref_sink(element)
            bus = gst_bus_new()
            gst_element_set_bus(element, bus)
        }

        deinit {
            gst_element_set_bus(element, nil)
            gst_object_unref(bus)
            gst_object_unref(element)
        }

        func warning() -> String? {
            guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING) else { return nil }
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            gst_message_parse_warning(message, &error, nil)
            defer { g_clear_error(&error) }
            return error.map { String(cString: $0.pointee.message) }
        }
    }

    /// The fate of a processor, seen from outside.
    final class Log: @unchecked Sendable {
        var lines: [String] = []
    }

    struct Refusal: Error {}

    /// Halves the volume, and records its calls.
    struct Half: ~Copyable, AudioProcessor {
        let log: Log
        var delay = AudioDelay.none
        var refuses = false
        var starts = AudioParameter(0)

        deinit { log.lines.append("released") }

        mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay {
            if refuses { throw Refusal() }
            log.lines.append("prepare \(format.rate) \(format.channels) \(format.isPlanar) \(format.name) \(maxFrames)")
            return delay
        }

        @_noLocks mutating func process(_ context: inout AudioContext) {
            let source = context.pull()
            if source.flags.contains(.startOfStream) { starts.value += 1 }
            for channel in 0..<context.format.channels {
                let samples = context.samples(channel)
                for frame in samples.indices { samples[frame] *= 0.5 }
            }
        }

        mutating func unprepare() { log.lines.append("unprepare") }
    }

    @Test func lifeOfAProcessor() throws {
        let host = try Host()
        let log = Log()
        let mock = MockElement(Half(log: log), element: host.element)
        #expect(log.lines == [])
        #expect(mock.prepare())
        _ = mock.process([[Float](repeating: 1, count: 8)], frames: 4)
        mock.unprepare()
        #expect(mock.prepare(channels: 3, planar: true, maxFrames: 7))
        mock.unprepare()
        mock.finalize()
        #expect(
            log.lines == [
                "prepare 48000 2 false F32LE 64", "unprepare", "prepare 48000 3 true F32LE 7", "unprepare", "released",
            ])
        #expect(host.warning() == nil)
    }

    @Test func aTapThatNeverPlayedIsReleasedToo() throws {
        let host = try Host()
        let log = Log()
        MockElement(Half(log: log), element: host.element).finalize()
        #expect(log.lines == ["released"])
    }

    @Test func interleavedSamples() throws {
        let host = try Host()
        let starts = AudioParameter(0)
        let mock = MockElement(Half(log: Log(), starts: starts.share()), element: host.element)
        #expect(mock.prepare())
        let answer = mock.process([[1, -1, 0.5, 0.25, 0, 8] as [Float]], frames: 3, sourceFlags: 1 << 8)
        #expect(answer.samples() == [0.5, -0.5, 0.25, 0.125, 0, 4])
        #expect(answer.framesOut == 3 && answer.flagsOut == 0)
        let count = starts.value
        #expect(count == 1)
        #expect(mock.fetches == 1)
    }

    @Test func planarSamples() throws {
        let host = try Host()
        let mock = MockElement(Half(log: Log()), element: host.element)
        #expect(mock.prepare(planar: true))
        let answer = mock.process([[1, 2, 3], [4, 5, 6]] as [[Float]], frames: 3)
        #expect(answer.samples(0) == [0.5, 1, 1.5])
        #expect(answer.samples(1) == [2, 2.5, 3])
    }

    @Test func latencyAndTail() throws {
        let host = try Host()
        let mock = MockElement(Half(log: Log(), delay: AudioDelay(latency: 12, tail: 345)), element: host.element)
        #expect(mock.prepare())
        #expect(mock.latency == 12 && mock.tail == 345)
        for (delay, latency, tail) in [
            (AudioDelay(latency: -1, tail: -5), 0, 0), (AudioDelay(latency: .max), Int(UInt32.max), 0),
            (AudioDelay(tail: AudioDelay.infiniteTail), 0, UInt64.max),
        ] as [(AudioDelay, Int, UInt64)] {
            let mock = MockElement(Half(log: Log(), delay: delay), element: host.element)
            #expect(mock.prepare())
            #expect(mock.latency == latency && mock.tail == tail)
        }
    }

    @Test func otherFormatsAreRefusedWithAdvice() throws {
        let host = try Host()
        let log = Log()
        let mock = MockElement(Half(log: log), element: host.element)
        #expect(!mock.prepare(GST_AUDIO_FORMAT_S16LE))
        #expect(log.lines == [])
        let text = try #require(host.warning())
        #expect(text.contains("S16LE") && text.contains("audioconvert ! audio/x-raw,format=F32LE"), "\(text)")
        // The format may change.
        #expect(mock.prepare())
    }

    @Test func aThrownErrorIsReported() throws {
        let host = try Host()
        let mock = MockElement(Half(log: Log(), refuses: true), element: host.element)
        #expect(!mock.prepare())
        #expect(try #require(host.warning()).contains("Refusal"))
    }

    /// A processor that accepts any format, and behaves as its settings say.
    struct Probe: ~Copyable, AudioProcessor {
        var pulls = 1
        var framesOut: Int?
        var ends = false
        let counts: AudioQueue<Int>

        static func accepts(_ format: AudioFormat) -> Bool { true }

        @_noLocks mutating func process(_ context: inout AudioContext) {
            _ = counts.enqueue(context.samples(0).count)
            _ = counts.enqueue(context.bytes(0).count)
            var source = AudioSource()
            for _ in 0..<pulls { source = context.pull() }
            _ = counts.enqueue(source.frames)
            _ = counts.enqueue(source.start)
            _ = counts.enqueue(source.timescale)
            _ = counts.enqueue(context.samples(0).count)
            _ = counts.enqueue(context.samples(1, as: Int16.self).count)
            _ = counts.enqueue(context.samples(2).count + context.samples(-1).count)
            _ = counts.enqueue(context.samples(0).contiguous?.count ?? -1)
            _ = counts.enqueue(context.bytes(0).count)
            _ = counts.enqueue(context.bytes(-1).count + context.bytes(9).count)
            if let framesOut { context.framesOut = framesOut }
            if ends { context.flagsOut.insert(.endOfStream) }
        }
    }

    func run(_ queue: borrowing AudioQueue<Int>) -> [Int] {
        var result: [Int] = []
        while let number = queue.dequeue() { result.append(number) }
        return result
    }

    @Test func whatAContextShows() throws {
        let host = try Host()
        let counts = AudioQueue<Int>(capacity: 99)
        let mock = MockElement(Probe(pulls: 2, ends: true, counts: counts.share()), element: host.element)
        #expect(mock.prepare())
        var answer = mock.process([[Float](repeating: 1, count: 10)], frames: 5, start: 77)
        #expect(run(counts) == [0, 0, 5, 77, 48000, 5, 0, 0, -1, 40, 0])
        #expect(mock.fetches == 1, "the second pull returns the same")
        #expect(answer.flagsOut == 1 << 9)
        mock.unprepare()

        #expect(mock.prepare(planar: true))
        _ = mock.process([[1, 1], [1, 1]] as [[Float]], frames: 2)
        #expect(run(counts) == [0, 0, 2, 0, 48000, 2, 0, 0, 2, 8, 0])
        mock.unprepare()

        #expect(mock.prepare(GST_AUDIO_FORMAT_S16LE, rate: 8000))
        answer = mock.process([[Int16](repeating: 1, count: 6)], frames: 3)
        #expect(run(counts) == [0, 0, 3, 0, 8000, 0, 3, 0, -1, 12, 0])
        #expect(answer.samples(as: Int16.self) == [Int16](repeating: 1, count: 6))
    }

    @Test func silenceFollowsWhereTheSourceIsShort() throws {
        let host = try Host()
        let counts = AudioQueue<Int>(capacity: 99)
        let mock = MockElement(Probe(counts: counts.share()), element: host.element)
        #expect(mock.prepare())
        var answer = mock.process([[1, 2] as [Float]], frames: 3)
        #expect(answer.samples() == [1, 2, 0, 0, 0, 0])
        answer = mock.process([[] as [Float]], frames: 2, flags: 1 << 9)
        #expect(answer.samples() == [0, 0, 0, 0])
        #expect(answer.framesOut == 2)
        mock.unprepare()
        // Silence is not zero everywhere.
        #expect(mock.prepare(GST_AUDIO_FORMAT_U8, channels: 1, maxFrames: 4))
        answer = mock.process([[3] as [UInt8]], frames: 4)
        #expect(answer.samples(as: UInt8.self) == [3, 128, 128, 128])
        // A call for more frames than were announced is not answered.
        answer = mock.process([[3] as [UInt8]], frames: 200)
        #expect(run(counts).suffix(6) == [0, 0, 0, -1, 0, 0])
    }

    @Test func framesOutIsKeptInBounds() throws {
        let host = try Host()
        for (wanted, expected) in [(0, 0), (2, 2), (-3, 0), (Int.max, Int(UInt32.max))] {
            let counts = AudioQueue<Int>(capacity: 99)
            let mock = MockElement(Probe(framesOut: wanted, counts: counts), element: host.element)
            #expect(mock.prepare())
            #expect(mock.process([[1, 2, 3, 4] as [Float]], frames: 2).framesOut == expected)
        }
    }

    @Test func whatIsNotPulledIsLeftToTheElement() throws {
        let host = try Host()
        let counts = AudioQueue<Int>(capacity: 99)
        let mock = MockElement(Probe(pulls: 0, counts: counts), element: host.element)
        #expect(mock.prepare())
        let answer = mock.process([[1, 2, 3, 4] as [Float]], frames: 2)
        #expect(answer.hasHole && answer.framesOut == 2 && mock.fetches == 0)
    }

    @Test func otherElementsTakeNoProcessor() throws {
        let host = try Host()
        let log = Log()
        let error = #expect(throws: AudioTapError.self) {
            _ = try AudioTap(Half(log: log), on: host.element)
        }
        #expect(error?.description.contains("hdrtap") == true)
        #expect(log.lines == ["released"], "the processor does not leak")
    }
}
