import CHDRTap

/// The format that is being processed, and memory for the frames of one call, since the source may have fewer frames
/// than a call has to output.
struct SpareMemory: ~Copyable {
    let format: AudioFormat
    private let planeBytes: Int
    private let memory: UnsafeMutableRawPointer
    /// One plane of silence.
    private let silence: UnsafeMutableRawPointer

    init(_ format: AudioFormat, maxFrames: Int) {
        self.format = format
        // Planes start on cache lines.
        planeBytes = (maxFrames * format.frameBytes + 63) / 64 * 64
        memory = .allocate(byteCount: format.planes * planeBytes, alignment: 64)
        silence = .allocate(byteCount: planeBytes, alignment: 64)
        format.fillSilence(silence, bytes: maxFrames * format.frameBytes)
    }

    deinit {
        memory.deallocate()
        silence.deallocate()
    }

    /// Points the list to memory for all frames: the source's where it has provided all of them, otherwise this
    /// object's, with silence after the source's frames.
    /// - Returns: `false` where the list lacks what `get_source_audio` guarantees.
    @_noLocks func complete(
        _ list: UnsafeMutablePointer<GstHdrTapAudioBufferList>, source: Int, frames: Int
    ) -> Bool {
        let planes = format.planes
        let bytes = frames &* format.frameBytes
        guard let buffers = list.pointee.buffers, Int(list.pointee.n_buffers) == planes, bytes <= planeBytes else {
            return false
        }
        let given = source &* format.frameBytes
        for plane in 0..<planes {
            let data = buffers[plane].data
            if source < frames {
                let spare = memory + plane &* planeBytes
                if let data, given > 0 { spare.copyMemory(from: data, byteCount: given) }
                (spare + given).copyMemory(from: silence, byteCount: bytes &- given)
                buffers[plane].data = spare
                buffers[plane].size = guint(truncatingIfNeeded: bytes)
            } else if data == nil {
                return false
            }
        }
        return true
    }
}
