import CHDRTap

/// Video processing by an application, inside an element `hdrtap`.
///
///     struct Letterbox: VideoProcessor {
///         mutating func prepare(_ format: VideoFormat) throws -> VideoRequest { VideoRequest(access: .change) }
///
///         mutating func process(_ frame: borrowing VideoFrame) throws -> VideoResult {
///             guard let luma = frame.plane(0) else { return .notThisOne }
///             for row in 0..<luma.rows / 8 { memset(luma.row(row), 0, luma.rowBytes) }
///             return .processed
///         }
///     }
///
///     let tap = try VideoTap(Letterbox(), on: element)
///     tap.detach()
///
/// The calls come in the order `(prepare process* unprepare)*`, from one thread at a time. All of them may allocate and
/// lock. The processor is released after the last of them, on a thread that does not stream.
public protocol VideoProcessor: ~Copyable, SendableMetatype {
    /// A format begins.
    /// - Returns: what the processor asks for; without this function, it reads.
    /// - Throws: to end the stream; the error's description is the text of the pipeline's error.
    mutating func prepare(_ format: VideoFormat) throws -> VideoRequest

    /// Processes a frame.
    /// - Throws: to end the stream; the error's description is the text of the pipeline's error.
    mutating func process(_ frame: borrowing VideoFrame) throws -> VideoResult

    /// The format, or streaming, has ended.
    mutating func unprepare()
}

extension VideoProcessor where Self: ~Copyable {
    public mutating func prepare(_ format: VideoFormat) throws -> VideoRequest { VideoRequest() }
    public mutating func unprepare() {}
}

/// What a processor asks for.
public struct VideoRequest: Sendable {
    public enum Access: Sendable {
        /// It looks at frames, which pass by reference: this costs no copy.
        case read
        /// It may write to them. Frames that are in use elsewhere are copied before.
        case change
    }

    public enum View: Sendable {
        /// The stream's own samples, untouched.
        case planes
        /// Linear light in extended range: 1.0 is reference white, highlights are above it. RGBA, premultiplied.
        case light(Element = .half, ColorSpace = .ofElement)
    }

    /// The numbers of light.
    public enum Element: Sendable {
        case half, single
    }

    /// The primaries of light.
    public enum ColorSpace: Sendable {
        /// What the element's property `color-space` says.
        case ofElement
        case displayP3, bt2020, bt709
    }

    public var view: View
    public var access: Access

    public init(view: View = .planes, access: Access = .read) {
        self.view = view
        self.access = access
    }
}

/// What became of a frame.
public enum VideoResult: Sendable {
    case processed
    /// The frame passes as it came; the processor has not written to it.
    case notThisOne
}

/// A stream of raw video.
public struct VideoFormat: @unchecked Sendable {
    /// GStreamer's description: pixel format, size, rate, interlacing, colorimetry, siting.
    public let info: GstVideoInfo
    /// Of HDR10; `nil` where the stream has none.
    public let masteringDisplay: GstVideoMasteringDisplayInfo?
    public let contentLightLevel: GstVideoContentLightLevel?

    /// In pixels.
    public var width: Int { Int(info.width) }
    public var height: Int { Int(info.height) }
    /// GStreamer's name of the pixel format, such as `P010_10LE`.
    public var name: String { info.finfo?.pointee.name.map { String(cString: $0) } ?? "" }
    /// GStreamer's name of the colours, such as `bt2100-pq`; empty for colours without a name.
    public var colorimetry: String {
        var colorimetry = info.colorimetry
        guard let text = gst_video_colorimetry_to_string(&colorimetry) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}

/// A frame, valid within `process`.
public struct VideoFrame: ~Copyable {
    private let frame: UnsafeMutablePointer<GstHdrTapVideoFrame>
    private let times: GstHdrTapVideoTimes
    /// Whether light is in single floats.
    private let isSingle: Bool

    init(_ frame: UnsafeMutablePointer<GstHdrTapVideoFrame>, _ times: GstHdrTapVideoTimes, isSingle: Bool) {
        self.frame = frame
        self.isSingle = isSingle
        self.times = times
    }

    /// In pixels.
    public var width: Int { Int(frame.pointee.width) }
    public var height: Int { Int(frame.pointee.height) }
    /// Whether the frame does not continue those before.
    public var isStart: Bool { times.flags & GST_HDR_TAP_START_OF_STREAM.rawValue != 0 }
    /// When the frame is shown, in ns of the medium; `nil` where that is not known.
    public var streamTime: UInt64? { Self.known(times.stream_time) }
    /// The same in ns of the pipeline's running time.
    public var runningTime: UInt64? { Self.known(times.running_time) }
    /// In ns; `nil` where that is not known.
    public var duration: UInt64? { Self.known(times.duration) }
    /// The frame's buffer, for its metadata, which must not be changed.
    public var buffer: UnsafeMutablePointer<GstBuffer> { frame.pointee.buffer }

    /// The frame's light, for a processor that asked for it.
    public var light: VideoPlane? {
        frame.pointee.light.map { VideoPlane(data: $0, stride: Int(frame.pointee.light_stride), rows: height) }
    }

    /// A row of light in single floats: red, green, blue and alpha of each pixel. Empty where the processor asked for
    /// something else, and beyond the last row.
    public func light(row: Int) -> UnsafeMutableBufferPointer<Float> {
        guard let light, isSingle, row >= 0, row < light.rows else {
            return UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        return UnsafeMutableBufferPointer(
            start: light.row(row).assumingMemoryBound(to: Float.self), count: 4 * width)
    }

    /// A plane of the stream's pixel format; `nil` where the format has fewer, and for a processor that sees light.
    public func plane(_ index: Int) -> VideoPlane? {
        frame.pointee.planes.flatMap { VideoPlane($0, index, height: height) }
    }

    private static func known(_ time: GstClockTime) -> UInt64? { time == GstClockTime.max ? nil : UInt64(time) }
}

/// A plane of a frame: rows of samples in the stream's own form. To be written only by a processor that asked to change
/// frames.
public struct VideoPlane {
    /// The first row.
    public let data: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    public let stride: Int
    public let rows: Int
    /// Bytes of a row that may be used: those of its samples and the padding behind them.
    public var rowBytes: Int { Int(stride.magnitude) }

    /// The first byte of a row, 0 to `rows` - 1.
    public func row(_ row: Int) -> UnsafeMutableRawPointer { data + row * stride }
}

extension VideoPlane {
    /// A plane of a mapped frame; `nil` where its format has fewer.
    init?(_ frame: UnsafePointer<GstVideoFrame>, _ index: Int, height: Int) {
        guard let details = frame.pointee.info.finfo?.pointee, index >= 0, index < min(4, Int(details.n_planes)) else {
            return nil
        }
        let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2, frame.pointee.data.3][index]
        let strides = frame.pointee.info.stride
        // The first component in the plane says how its rows are subsampled.
        let components = [details.plane.0, details.plane.1, details.plane.2, details.plane.3]
        let shifts = [details.h_sub.0, details.h_sub.1, details.h_sub.2, details.h_sub.3]
        guard let data, let component = components.firstIndex(of: guint(index)) else { return nil }
        self.init(
            data: data, stride: Int([strides.0, strides.1, strides.2, strides.3][index]),
            rows: (height + (1 << Int(shifts[component])) - 1) >> Int(shifts[component]))
    }
}
