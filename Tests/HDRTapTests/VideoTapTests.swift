import CGStreamer
import CHDRTap
import Testing

@testable import HDRTap

/// A video processor is called, and owned, as the element's contract has it.
@Suite struct VideoTapTests {
    typealias Host = AudioTapTests.Host
    typealias Log = AudioTapTests.Log

    struct Refusal: Error, CustomStringConvertible {
        var description: String { "no frames today" }
    }

    /// Sets the first sample of each plane's rows to the row's number, and records its calls.
    struct Numberer: ~Copyable, VideoProcessor {
        let log: Log
        var access = VideoRequest.Access.change
        var refuses = false

        deinit { log.lines.append("released") }

        mutating func prepare(_ format: VideoFormat) throws -> VideoRequest {
            if refuses { throw Refusal() }
            log.lines.append("prepare \(format.name) \(format.width) \(format.height) \(format.colorimetry)")
            return VideoRequest(access: access)
        }

        mutating func process(_ frame: borrowing VideoFrame) throws -> VideoResult {
            guard frame.streamTime != 7 else { throw Refusal() }
            guard let first = frame.plane(0) else { return .notThisOne }
            for row in 0..<first.rows { first.row(row).storeBytes(of: UInt8(row), as: UInt8.self) }
            log.lines.append(
                "\(frame.width) \(frame.height) \(frame.isStart) \(frame.streamTime ?? 0) "
                    + "\(frame.runningTime == nil) \(frame.plane(1)?.rows ?? 0) \(frame.plane(2)?.stride ?? 0) "
                    + "\(frame.plane(3) == nil) \(frame.plane(-1) == nil)")
            return .processed
        }

        mutating func unprepare() { log.lines.append("unprepare") }
    }

    /// Calls a processor's callbacks as the element does.
    final class Mock {
        let tap: UnsafeMutablePointer<GstHdrVideoTap>
        let callbacks = VideoTapCallbacks.all
        var info = GstVideoInfo()
        var problem: UnsafeMutablePointer<GError>?

        init<Processor: VideoProcessor & ~Copyable>(_ processor: consuming Processor) {
            gst_init(nil, nil)
            tap = .allocate(capacity: 1)
            tap.initialize(to: GstHdrVideoTap())
            callbacks.`init`?(tap, Unmanaged<VideoBox>.passRetained(VideoProcessorBox(processor)).toOpaque())
            gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, 6, 5)
        }

        deinit {
            g_clear_error(&problem)
            tap.deallocate()
        }

        func prepare() -> Bool {
            withUnsafePointer(to: &info) { info in
                var format = GstHdrTapVideoFormat()
                format.info = info
                return callbacks.prepare?(tap, &format, &problem) != 0
            }
        }

        func process(streamTime: UInt64, _ body: (UnsafeMutablePointer<GstVideoFrame>) -> Void = { _ in })
            -> GstHdrTapFrameResult?
        {
            let buffer = gst_buffer_new_allocate(nil, info.size, nil)
            defer { gst_buffer_unref(buffer) }
            var video = GstVideoFrame()
            guard gst_video_frame_map(&video, &info, buffer, GST_MAP_WRITE) != 0 else { return nil }
            defer { gst_video_frame_unmap(&video) }
            return withUnsafeMutablePointer(to: &video) { video in
                var frame = GstHdrTapVideoFrame()
                (frame.width, frame.height, frame.planes, frame.buffer) = (6, 5, video, buffer)
                var times = GstHdrTapVideoTimes()
                times.flags = GST_HDR_TAP_START_OF_STREAM.rawValue
                times.stream_time = GstClockTime(streamTime)
                times.running_time = GstClockTime.max
                let result = callbacks.process?(tap, &frame, &times, &problem)
                body(video)
                return result
            }
        }
    }

    @Test func lifeOfAProcessor() {
        let log = Log()
        let mock = Mock(Numberer(log: log))
        #expect(mock.prepare())
        #expect(mock.tap.pointee.access == GST_HDR_TAP_CHANGE)
        let result = mock.process(streamTime: 40) { video in
            let data = video.pointee.data.0?.assumingMemoryBound(to: UInt8.self)
            #expect((0..<5).map { data?[$0 * 8] } == [0, 1, 2, 3, 4])
        }
        #expect(result == GST_HDR_TAP_FRAME_OK)
        mock.callbacks.unprepare?(mock.tap)
        mock.callbacks.finalize?(mock.tap)
        #expect(
            log.lines == [
                "prepare I420 6 5 bt601", "6 5 true 40 true 3 4 true true", "unprepare", "released",
            ])
    }

    /// Doubles light.
    struct Doubler: VideoProcessor {
        let element: VideoRequest.Element

        mutating func prepare(_ format: VideoFormat) throws -> VideoRequest {
            VideoRequest(view: .light(element, .bt2020), access: .change)
        }

        mutating func process(_ frame: borrowing VideoFrame) throws -> VideoResult {
            for row in -1...frame.height {
                let light = frame.light(row: row)
                for index in light.indices { light[index] *= 2 }
            }
            return .processed
        }
    }

    @Test(arguments: [true, false]) func light(isSingle: Bool) {
        let mock = Mock(Doubler(element: isSingle ? .single : .half))
        #expect(mock.prepare())
        #expect(mock.tap.pointee.view == (isSingle ? GST_HDR_TAP_LIGHT_FLOAT : GST_HDR_TAP_LIGHT_HALF))
        #expect(mock.tap.pointee.color_space == GST_HDR_TAP_COLOR_SPACE_BT2020)
        var numbers = [Float](repeating: 1, count: 2 * 10)
        numbers.withUnsafeMutableBytes { memory in
            var frame = GstHdrTapVideoFrame()
            (frame.width, frame.height, frame.light, frame.light_stride) = (2, 2, memory.baseAddress, 40)
            var times = GstHdrTapVideoTimes()
            #expect(mock.callbacks.process?(mock.tap, &frame, &times, nil) == GST_HDR_TAP_FRAME_OK)
        }
        // Two pixels of each row, and none where light is in half floats.
        #expect(numbers == (0..<20).map { isSingle && $0 % 10 < 8 ? 2 : 1 })
        mock.callbacks.finalize?(mock.tap)
    }

    @Test func readingIsAskedFor() {
        let mock = Mock(Numberer(log: Log(), access: .read))
        #expect(mock.prepare())
        #expect(mock.tap.pointee.access == GST_HDR_TAP_READ)
        mock.callbacks.finalize?(mock.tap)
    }

    @Test func thrownErrorsHaveTheirWords() {
        let refusing = Mock(Numberer(log: Log(), refuses: true))
        #expect(!refusing.prepare())
        #expect(refusing.problem.map { String(cString: $0.pointee.message) } == "no frames today")
        refusing.callbacks.finalize?(refusing.tap)

        let failing = Mock(Numberer(log: Log()))
        #expect(failing.prepare())
        #expect(failing.process(streamTime: 7) == GST_HDR_TAP_FRAME_FAILED)
        #expect(failing.problem.map { String(cString: $0.pointee.message) } == "no frames today")
        failing.callbacks.finalize?(failing.tap)
    }

    @Test func otherElementsTakeNoProcessor() throws {
        let host = try Host()
        let log = Log()
        let error = #expect(throws: TapError.self) {
            _ = try VideoTap(Numberer(log: log), on: host.element)
        }
        #expect(error?.description.contains("hdrtap") == true)
        #expect(log.lines == ["released"], "the processor does not leak")
    }
}
