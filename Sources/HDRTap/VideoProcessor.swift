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
    /// Prepares for a format that begins.
    /// - Returns: the access and view that the processor requests; the default implementation requests reading.
    /// - Throws: to end the stream; the error's description is the text of the pipeline's error.
    mutating func prepare(_ format: VideoFormat) throws -> VideoRequest

    /// Processes a frame.
    /// - Throws: to end the stream; the error's description is the text of the pipeline's error.
    mutating func process(_ frame: borrowing VideoFrame) throws -> VideoResult

    /// Called when the format, or streaming, has ended.
    mutating func unprepare()
}

extension VideoProcessor where Self: ~Copyable {
    public mutating func prepare(_ format: VideoFormat) throws -> VideoRequest { VideoRequest() }
    public mutating func unprepare() {}
}

/// The access and view that a processor requests.
public struct VideoRequest: Sendable {
    /// What the processor does with the samples of frames.
    public enum Access: Sendable {
        /// The processor only reads frames, which pass by reference without a copy.
        case read
        /// The processor may write to frames. Frames that are in use elsewhere are copied before.
        case change
    }

    /// What the processor sees of frames.
    public enum View: Sendable {
        /// The stream's own samples, unconverted.
        case planes
        /// Linear light in extended range, where 1.0 is reference white and highlights are above it; RGBA,
        /// premultiplied.
        case light(Element = .half, ColorSpace = .ofElement)
    }

    /// The component type of light.
    public enum Element: Sendable {
        case half, single
    }

    /// The primaries of light.
    public enum ColorSpace: Sendable {
        /// The value of the element's property `color-space`.
        case ofElement
        case displayP3, bt2020, bt709
    }

    /// What the processor sees of frames.
    public var view: View
    /// Whether it may write to them.
    public var access: Access

    /// Makes a request; by default samples are only read, unconverted.
    public init(view: View = .planes, access: Access = .read) {
        self.view = view
        self.access = access
    }
}

/// The result of processing a frame.
public enum VideoResult: Sendable {
    case processed
    /// The frame passes unchanged; the processor has not written to it.
    case notThisOne
}

/// The format of a stream of raw video.
public struct VideoFormat: @unchecked Sendable {
    /// GStreamer's description: pixel format, size, frame rate, interlacing, colorimetry, chroma siting.
    public let info: GstVideoInfo
    /// The mastering display; `nil` where the stream's caps have none.
    public let masteringDisplay: GstVideoMasteringDisplayInfo?
    /// MaxCLL and MaxFALL; `nil` where the stream's caps have none.
    public let contentLightLevel: GstVideoContentLightLevel?

    /// The size of frames in pixels.
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
    /// Whether light consists of 32-bit floats; otherwise of 16-bit floats.
    private let isSingle: Bool

    init(_ frame: UnsafeMutablePointer<GstHdrTapVideoFrame>, _ times: GstHdrTapVideoTimes, isSingle: Bool) {
        self.frame = frame
        self.isSingle = isSingle
        self.times = times
    }

    /// The size of the frame in pixels.
    public var width: Int { Int(frame.pointee.width) }
    public var height: Int { Int(frame.pointee.height) }
    /// Whether the frame does not continue the previous ones.
    public var isStart: Bool { times.flags & GST_HDR_TAP_START_OF_STREAM.rawValue != 0 }
    /// The stream time of the frame in ns; `nil` where it is not known.
    public var streamTime: UInt64? { Self.known(times.stream_time) }
    /// The running time of the frame in ns; `nil` where it is not known.
    public var runningTime: UInt64? { Self.known(times.running_time) }
    /// The duration of the frame in ns; `nil` where it is not known.
    public var duration: UInt64? { Self.known(times.duration) }
    /// The frame's buffer, for reading its metadata; it must not be changed.
    public var buffer: UnsafeMutablePointer<GstBuffer> { frame.pointee.buffer }

    /// The frame's light; `nil` for a processor that did not request light.
    public var light: VideoPlane? {
        frame.pointee.light.map { VideoPlane(data: $0, stride: Int(frame.pointee.light_stride), rows: height) }
    }

    /// A row of light as 32-bit floats: red, green, blue and alpha of each pixel. Empty where the processor requested
    /// another form, and beyond the last row.
    public func light(row: Int) -> UnsafeMutableBufferPointer<Float> {
        guard let light, isSingle, row >= 0, row < light.rows else {
            return UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        return UnsafeMutableBufferPointer(
            start: light.row(row).assumingMemoryBound(to: Float.self), count: 4 * width)
    }

    /// A plane of the stream's pixel format; `nil` for indices beyond the format's planes, and for a processor that
    /// gets light.
    public func plane(_ index: Int) -> VideoPlane? {
        frame.pointee.planes.flatMap { VideoPlane($0, index, height: height) }
    }

    private static func known(_ time: GstClockTime) -> UInt64? { time == GstClockTime.max ? nil : UInt64(time) }
}

/// A plane of a frame: rows of samples in the stream's own format. Only a processor that requested `.change` may write
/// to it.
public struct VideoPlane {
    /// The address of the first row.
    public let data: UnsafeMutableRawPointer
    /// The number of bytes from one row to the next; negative where rows are stored bottom up.
    public let stride: Int
    /// The number of rows.
    public let rows: Int
    /// The number of bytes of a row that may be used: those of its samples and the padding after them.
    public var rowBytes: Int { Int(stride.magnitude) }

    /// The address of a row, from 0 to `rows` - 1.
    public func row(_ row: Int) -> UnsafeMutableRawPointer { data + row * stride }
}

extension VideoPlane {
    /// A plane of a mapped frame; `nil` for indices beyond its format's planes.
    init?(_ frame: UnsafePointer<GstVideoFrame>, _ index: Int, height: Int) {
        guard let details = frame.pointee.info.finfo?.pointee, index >= 0, index < min(4, Int(details.n_planes)) else {
            return nil
        }
        let data = [frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2, frame.pointee.data.3][index]
        let strides = frame.pointee.info.stride
        // The first component in a plane determines how its rows are subsampled.
        let components = [details.plane.0, details.plane.1, details.plane.2, details.plane.3]
        let shifts = [details.h_sub.0, details.h_sub.1, details.h_sub.2, details.h_sub.3]
        guard let data, let component = components.firstIndex(of: guint(index)) else { return nil }
        self.init(
            data: data, stride: Int([strides.0, strides.1, strides.2, strides.3][index]),
            rows: (height + (1 << Int(shifts[component])) - 1) >> Int(shifts[component]))
    }
}
