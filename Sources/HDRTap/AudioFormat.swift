import CHDRTap

/// How the samples of a stream are stored.
public struct AudioFormat: Sendable, Equatable {
    /// The sample rate in frames per second.
    public let rate: Int
    /// The number of channels.
    public let channels: Int
    /// Whether each channel has its own plane; otherwise one plane holds all channels, interleaved.
    public let isPlanar: Bool
    /// The type of the samples.
    public let sample: Sample
    /// The number of bytes of one sample.
    public let sampleBytes: Int
    private let format: GstAudioFormat

    /// The sample types that have a Swift type, in the machine's byte order.
    public struct Sample: Sendable, Equatable {
        let code: UInt8
        @_noLocks init(code: UInt8) { self.code = code }
        @_noLocks public static func == (left: Sample, right: Sample) -> Bool { left.code == right.code }

        /// 32-bit floats, of which -1 to 1 is full scale.
        public static var float32: Sample { @_noLocks get { Sample(code: 1) } }
        /// 64-bit floats, likewise.
        public static var float64: Sample { @_noLocks get { Sample(code: 2) } }
        /// Signed 16-bit integers.
        public static var int16: Sample { @_noLocks get { Sample(code: 3) } }
        /// Signed 32-bit integers.
        public static var int32: Sample { @_noLocks get { Sample(code: 4) } }
        /// Any other sample type, which is only accessible as bytes.
        public static var other: Sample { @_noLocks get { Sample(code: 0) } }
    }

    /// The format of raw audio; `nil` where the information is not that of raw audio.
    public init?(_ info: GstAudioInfo) {
        guard let details = info.finfo?.pointee, info.rate > 0, info.channels > 0, details.width >= 8 else {
            return nil
        }
        rate = Int(info.rate)
        channels = Int(info.channels)
        isPlanar = info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED
        format = details.format
        sampleBytes = Int(details.width) / 8
        let little = Int16(littleEndian: 1) == 1
        switch format {
        case little ? GST_AUDIO_FORMAT_F32LE : GST_AUDIO_FORMAT_F32BE: sample = .float32
        case little ? GST_AUDIO_FORMAT_F64LE : GST_AUDIO_FORMAT_F64BE: sample = .float64
        case little ? GST_AUDIO_FORMAT_S16LE : GST_AUDIO_FORMAT_S16BE: sample = .int16
        case little ? GST_AUDIO_FORMAT_S32LE : GST_AUDIO_FORMAT_S32BE: sample = .int32
        default: sample = .other
        }
    }

    /// The number of planes: one for each channel where the format is planar, else 1.
    public var planes: Int { @_noLocks get { isPlanar ? channels : 1 } }
    /// The number of samples of one frame in one plane, which is also the distance between two samples of a channel.
    public var stride: Int { @_noLocks get { isPlanar ? 1 : channels } }
    /// The number of bytes of one frame in one plane.
    public var frameBytes: Int { @_noLocks get { sampleBytes &* stride } }
    /// GStreamer's name of the format, such as `F32LE`. Not for use in `process`.
    public var name: String { String(cString: gst_audio_format_to_string(format)) }

    /// Writes silence, which is not zero in all formats.
    func fillSilence(_ memory: UnsafeMutableRawPointer, bytes: Int) {
        gst_audio_format_info_fill_silence(gst_audio_format_get_info(format), memory, gsize(bytes))
    }
}

/// A Swift type for samples.
public protocol AudioSample: BitwiseCopyable {
    /// The type of samples that it stands for.
    static var format: AudioFormat.Sample { get }
}

extension Float: AudioSample {
    public static var format: AudioFormat.Sample { @_noLocks get { .float32 } }
}
extension Double: AudioSample {
    public static var format: AudioFormat.Sample { @_noLocks get { .float64 } }
}
extension Int16: AudioSample {
    public static var format: AudioFormat.Sample { @_noLocks get { .int16 } }
}
extension Int32: AudioSample {
    public static var format: AudioFormat.Sample { @_noLocks get { .int32 } }
}
