import CGStreamer
import GstBridge
import Glibc

/// Something that is measured, a few frames at a time.
protocol FrameWork: AnyObject {
    /// - Returns: the total time of these frames.
    func run(frames: Int) throws(Failure) -> Clock
}

/// A converter that is fed with some frames in turn. Its output goes back to its pool at once.
final class VideoFeeder: FrameWork {
    private let feed: ElementFeed
    private let line: String
    private let source: SourceFrames
    private var next = 0

    /// - Parameters:
    ///   - line: the converter as on a launch line.
    ///   - caps: what it makes.
    init(_ line: String, from source: SourceFrames, to caps: String) throws(Failure) {
        self.line = line
        self.source = source
        feed = try ElementFeed("\(line) ! capsfilter caps=\"\(caps)\"", caps: source.caps)
    }

    func run(frames: Int) throws(Failure) -> Clock {
        let before = feed.received
        let start = Clock.now
        for _ in 0..<frames {
            let buffer = source.buffers[next % source.buffers.count]
            next += 1
            // The frame is used again; a push takes a reference.
            gst_buffer_ref(buffer)
            let flow = feed.push(buffer)
            if flow != GST_FLOW_OK {
                throw feed.failure("\(line): \(String(cString: gst_flow_get_name(flow))) from \(source.caps)")
            }
        }
        let spent = Clock.now - start
        guard feed.received - before == frames else { throw Failure("\(line) drops frames") }
        return spent
    }
}

/// A lower bound for any conversion: copies memory, so that as many bytes are read and written, half of them each way.
final class MemoryCopy: FrameWork {
    private let sources: [UnsafeMutableRawPointer]
    private let target: UnsafeMutableRawPointer
    private let bytes: Int
    private var next = 0

    /// - Parameter moved: the total number of bytes that a conversion reads and writes.
    init(moved: Int, sources count: Int) {
        bytes = moved / 2
        sources = (0..<count).map { _ in .allocate(byteCount: moved / 2, alignment: 64) }
        target = .allocate(byteCount: bytes, alignment: 64)
        // Pages that were never written all map to the same page of zeros.
        for (index, source) in sources.enumerated() { memset(source, Int32(index + 1), bytes) }
        memset(target, 0, bytes)
    }

    deinit {
        for source in sources { source.deallocate() }
        target.deallocate()
    }

    func run(frames: Int) throws(Failure) -> Clock {
        let start = Clock.now
        for _ in 0..<frames {
            memcpy(target, sources[next % sources.count], bytes)
            next += 1
        }
        return Clock.now - start
    }
}
