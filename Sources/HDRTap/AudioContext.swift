import CHDRTap

/// The input and output of a process call. All of it may be used in functions marked `@_noLocks`.
public struct AudioContext: ~Copyable {
    /// How the samples of the source and of the output are stored.
    public let format: AudioFormat
    /// The number of frames to output, at least 1.
    public let frames: Int
    /// `startOfStream` where the first frame does not continue the previous ones; `endOfStream` where the source has
    /// ended, and only the frames of the latency and of the tail remain to be output.
    public let flags: AudioFlags
    /// The number of frames that the call outputs, initially `frames`. Where it is smaller, silence fills the rest.
    public var framesOut: Int
    /// Flags of the output: `endOfStream` here ends the processor's output at this call, before the end of the declared
    /// tail.
    public var flagsOut = AudioFlags(rawValue: 0)

    /// The tap structure, for calls of the C API.
    public let tap: UnsafeMutablePointer<GstHdrAudioTap>
    /// The buffers of the output, one for each plane, for calls of the C API.
    public let list: UnsafeMutablePointer<GstHdrTapAudioBufferList>

    private var isPulled = false
    private var source = AudioSource()
    private let memory: UnsafePointer<SpareMemory>

    @_noLocks init(
        _ tap: UnsafeMutablePointer<GstHdrAudioTap>, frames: Int, flags: AudioFlags,
        list: UnsafeMutablePointer<GstHdrTapAudioBufferList>, memory: UnsafePointer<SpareMemory>
    ) {
        self.tap = tap
        self.list = list
        format = memory.pointee.format
        self.frames = frames
        self.flags = flags
        self.memory = memory
        framesOut = frames
    }

    /// Fetches the source's audio, to be changed in place. Only the first `pull` of a process call fetches; further
    /// calls return the same result.
    ///
    /// Afterwards there is memory for all `frames`; where the source has fewer, silence follows. If a process call does
    /// not fetch, the source's audio passes unchanged.
    @discardableResult @_noLocks public mutating func pull() -> AudioSource {
        if isPulled { return source }
        let tap = tap
        let list = list
        let wanted = guint(truncatingIfNeeded: frames)
        var flags: guint = 0
        var range = GstHdrTapTimeRange()
        var got: guint = 0
        let status = withUnsafeMutablePointer(to: &flags) { flags in
            withUnsafeMutablePointer(to: &range) { range in
                withUnsafeMutablePointer(to: &got) { got in
                    // This calls code of the element, which neither allocates nor locks there.
                    _unsafePerformance { gst_hdr_tap_get_source_audio(tap, wanted, list, flags, range, got) }
                }
            }
        }
        guard status == GST_HDR_TAP_OK else { return source }
        source.frames = max(0, min(Int(got), frames))
        source.flags = AudioFlags(rawValue: flags)
        source.start = Int(range.start)
        source.duration = Int(range.duration)
        source.timescale = Int(range.timescale)
        isPulled = memory.pointee.complete(list, source: source.frames, frames: frames)
        return source
    }

    /// The samples of a channel, after `pull`.
    // Emitted into the processor's module, so that what it calls is made for `Float` in debug builds too.
    @_alwaysEmitIntoClient public func samples(_ channel: Int) -> AudioChannel<Float> {
        samples(channel, as: Float.self)
    }

    /// The samples of a channel, after `pull`, for processors that accept other formats than `Float`'s.
    @inlinable public func samples<Sample: AudioSample>(_ channel: Int, as type: Sample.Type) -> AudioChannel<Sample> {
        let base = Sample.format == format.sample ? first(channel) : nil
        return AudioChannel(base: base?.assumingMemoryBound(to: Sample.self), stride: format.stride, count: frames)
    }

    /// The first sample of a channel.
    @usableFromInline @_noLocks func first(_ channel: Int) -> UnsafeMutableRawPointer? {
        guard isPulled, channel >= 0, channel < format.channels,
            let plane = list.pointee.buffers[format.isPlanar ? channel : 0].data
        else { return nil }
        return format.isPlanar ? plane : plane + channel &* format.sampleBytes
    }

    /// All bytes of a plane, after `pull`, whatever the format.
    @_noLocks public func bytes(_ plane: Int) -> UnsafeMutableRawBufferPointer {
        guard isPulled, plane >= 0, plane < format.planes, let data = list.pointee.buffers[plane].data else {
            return UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeMutableRawBufferPointer(start: data, count: frames &* format.frameBytes)
    }
}

/// The result of `pull`.
public struct AudioSource: Sendable {
    /// The number of frames from the source.
    public var frames = 0
    /// `startOfStream` where the first of these frames does not continue the previous ones, and `endOfStream` where the
    /// source has ended.
    public var flags = AudioFlags(rawValue: 0)
    /// The stream time of the first frame, and the duration, in units of 1 / `timescale` seconds. They refer to the
    /// time in the medium, so at normal speed they count frames.
    public var start = 0
    public var duration = 0
    /// The sample rate.
    public var timescale = 0

    /// An empty result.
    @_noLocks public init() {}
}

/// Flags for the first and the last frames of a continuous stream.
public struct AudioFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    @_noLocks public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The frames do not continue the previous ones, so a processor must drop all history.
    public static var startOfStream: AudioFlags { @_noLocks get { AudioFlags(rawValue: 1 << 8) } }
    /// No frame follows after these.
    public static var endOfStream: AudioFlags { @_noLocks get { AudioFlags(rawValue: 1 << 9) } }
}
