/// Scan lines in the form in which OpenEXR stores them.
struct OpenEXRLines {
    let image: StillImage

    /// The number of bytes of a line in the file before compression.
    var lineBytes: Int { image.width * image.storedComponents * 2 }

    /// Writes a line: all samples of one channel, then those of the next, in the order A, B, G, R.
    func store(_ index: Int, into output: UnsafeMutableRawPointer) {
        guard let row = image.row(index).baseAddress else { return }
        var position = output
        for component in (0..<image.storedComponents).reversed() {
            switch image.layout {
            case .rgbaHalf:
                gather(row + component * 2, UInt16.self, into: position) { $0 }
            case .rgbaFloat:
                gather(row + component * 4, Float.self, into: position, HalfFloat.bits)
            case .rgb8, .rgba8, .rgb16, .rgba16:
                break
            }
            position += image.width * 2
        }
    }

    @inline(__always)
    private func gather<T: BitwiseCopyable>(
        _ input: UnsafeRawPointer, _ type: T.Type, into output: UnsafeMutableRawPointer, _ half: (T) -> UInt16
    ) {
        let width = image.width
        let step = 4 &* MemoryLayout<T>.size
        var index = 0
        while index < width {
            let sample = input.loadUnaligned(fromByteOffset: index &* step, as: type)
            output.storeBytes(of: half(sample), toByteOffset: index &* 2, as: UInt16.self)
            index &+= 1
        }
    }

    /// Rearranges bytes for zlib: those at even places first, then those at odd ones; then each byte is replaced by its
    /// difference to the one before it, plus 128. `scratch` has room for as many bytes, whose number is even.
    static func predict(
        _ input: UnsafeRawBufferPointer, scratch: UnsafeMutableRawPointer, into output: UnsafeMutableRawPointer
    ) {
        guard let start = input.baseAddress, !input.isEmpty else { return }
        let source = start.assumingMemoryBound(to: UInt8.self)
        let split = scratch.assumingMemoryBound(to: UInt8.self)
        let target = output.assumingMemoryBound(to: UInt8.self)
        let half = input.count / 2
        var index = 0
        while index < half {
            split[index] = source[index &* 2]
            split[half &+ index] = source[index &* 2 &+ 1]
            index &+= 1
        }
        target[0] = split[0]
        index = 1
        while index < input.count {
            target[index] = split[index] &- split[index &- 1] &+ 128
            index &+= 1
        }
    }
}
