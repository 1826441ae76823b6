import HDRAudio

/// The samples of a call in planar double precision, and the conversion from and to the stream's format.
struct EffectSamples: ~Copyable {
    let format: StreamFormat
    private let memory: UnsafeMutablePointer<Double>
    private let planes: UnsafeMutablePointer<UnsafeMutablePointer<Double>>

    init(_ format: StreamFormat, maxFrames: Int) {
        self.format = format
        memory = .allocate(capacity: maxFrames * format.channels)
        memory.initialize(repeating: 0, count: maxFrames * format.channels)
        planes = .allocate(capacity: format.channels)
        for channel in 0..<format.channels { (planes + channel).initialize(to: memory + channel * maxFrames) }
    }

    deinit {
        memory.deallocate()
        planes.deallocate()
    }

    /// The address of a channel's first sample.
    @_noLocks private func start(_ call: ProcessCall, _ channel: Int) -> UnsafeMutableRawPointer {
        format.isPlanar
            ? call.planes[channel] : call.planes[0] + channel &* (Int(truncatingIfNeeded: format.sample.bytes))
    }

    /// Reads a call's samples.
    @_noLocks func load(_ call: ProcessCall) -> AudioBlock {
        let stride = format.isPlanar ? 1 : format.channels
        for channel in 0..<format.channels {
            format.sample.load(start(call, channel), stride: stride, into: planes[channel], count: call.frames)
        }
        return AudioBlock(channels: format.channels, frames: call.frames, planes: planes)
    }

    /// Writes the samples that `load` read back to the call's buffers.
    @_noLocks func store(_ call: ProcessCall) {
        let stride = format.isPlanar ? 1 : format.channels
        for channel in 0..<format.channels {
            format.sample.store(planes[channel], to: start(call, channel), stride: stride, count: call.frames)
        }
    }

    /// The samples after the last call.
    var block: UnsafePointer<UnsafeMutablePointer<Double>> { UnsafePointer(planes) }
}
