import CHDRTap

/// What a process call reads and writes. All of it may be used in functions marked `@_noLocks`.
public struct AudioContext: ~Copyable {
    public let format: AudioFormat
    /// The number of frames to make, at least 1.
    public let frames: Int
    /// `startOfStream` where the first frame does not continue those before; `endOfStream` where the source has ended,
    /// and only the frames of the latency and of the tail are left to make.
    public let flags: AudioFlags
    /// The number of frames that the call has made. `frames` at first; with fewer, silence fills the rest.
    public var framesOut: Int
    /// With `endOfStream`, the processor's own output ends here, before the tail that it has declared.
    public var flagsOut = AudioFlags(rawValue: 0)

    /// For calls of the C API.
    public let tap: UnsafeMutablePointer<GstHdrAudioTap>
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

    /// Fetches the source's audio, to be changed in place. Only the first `pull` of a process call fetches; others
    /// return the same result.
    ///
    /// There is room for all `frames` afterwards: where the source has fewer, silence follows. A call that does not
    /// fetch lets the source's audio pass unchanged.
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
                    // This runs code of the element, which neither allocates nor locks in it.
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

/// What `pull` has fetched.
public struct AudioSource: Sendable {
    /// Frames from the source.
    public var frames = 0
    public var flags = AudioFlags(rawValue: 0)
    /// Stream time of the first frame, and duration, in units of 1 / `timescale` seconds: the time in the medium, so
    /// that these count frames at normal speed.
    public var start = 0
    public var duration = 0
    /// The sample rate.
    public var timescale = 0

    /// Nothing.
    @_noLocks public init() {}
}

/// Whether frames are the first or the last ones of a continuous stream.
public struct AudioFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    @_noLocks public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The frames do not continue those before: drop all history.
    public static var startOfStream: AudioFlags { @_noLocks get { AudioFlags(rawValue: 1 << 8) } }
    /// No frame follows.
    public static var endOfStream: AudioFlags { @_noLocks get { AudioFlags(rawValue: 1 << 9) } }
}
