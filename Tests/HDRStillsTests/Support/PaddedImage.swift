import HDRMetadata
import HDRStills
import TestSupport

/// A picture in memory with padded rows, and its samples without.
struct PaddedImage {
    let layout: StillImage.Layout
    let width: Int
    let height: Int
    let stride: Int
    /// The bytes from the first row on; the padding is filled with noise.
    private(set) var bytes: [UInt8]

    enum Content: CaseIterable {
        case random, gradient, flat
    }

    init(
        _ layout: StillImage.Layout, _ width: Int, _ height: Int, padding: Int = 0, content: Content = .random,
        seed: UInt64 = 1
    ) {
        var random = SeededGenerator(seed: seed)
        self.layout = layout
        self.width = width
        self.height = height
        let row = width * layout.bytesPerPixel
        stride = row + padding
        // The last row has no padding, as the smallest buffer that may be given.
        bytes = (0..<stride * (height - 1) + row).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard content != .random else { return }
        for y in 0..<height {
            for index in 0..<row {
                bytes[y * stride + index] = content == .flat ? 77 : UInt8(truncatingIfNeeded: index * 3 / 2 + y * 5)
            }
        }
    }

    /// A pattern of so many random bytes, again and again.
    init(_ layout: StillImage.Layout, _ width: Int, _ height: Int, repeating period: Int) {
        var random = SeededGenerator(seed: 5)
        let pattern = (0..<period).map { _ in UInt8.random(in: 0...255, using: &random) }
        self.layout = layout
        self.width = width
        self.height = height
        stride = width * layout.bytesPerPixel
        bytes = (0..<stride * height).map { pattern[$0 % period] }
    }

    /// A picture of given half-float numbers, four a pixel.
    init(halves: [UInt16], width: Int) {
        layout = .rgbaHalf
        self.width = width
        height = halves.count / 4 / width
        stride = width * 8
        bytes = halves.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    /// A picture of given float numbers, four a pixel.
    init(floats: [Float], width: Int) {
        layout = .rgbaFloat
        self.width = width
        height = floats.count / 4 / width
        stride = width * 16
        bytes = floats.flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32($0))) }
        }
    }

    func withImage<Result>(
        color: ColorDescription? = nil, _ body: (inout StillImage) throws -> Result
    ) throws -> Result {
        let linear = ColorDescription(primaries: 9, transfer: 8)
        let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)
        return try bytes.withUnsafeBytes { pixels in
            var image = try StillImage(
                pixels: pixels, layout: layout, width: width, height: height, stride: stride,
                color: color ?? (layout.isInteger ? pq : linear))
            return try body(&image)
        }
    }

    /// The samples without padding; only the first `components` of each pixel where that is given.
    func samples(components: Int? = nil) -> [UInt8] {
        let count = layout.bytesPerPixel
        let all = layout == .rgb8 || layout == .rgb16 ? 3 : 4
        let kept = count / all * (components ?? all)
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * kept)
        for y in 0..<height {
            for x in 0..<width { samples += bytes[(y * stride + x * count)...].prefix(kept) }
        }
        return samples
    }
}

/// The first position where two pictures differ. The test library would compare them in quadratic time.
func firstDifference(_ found: [UInt8]?, _ expected: [UInt8]) -> Int? {
    guard let found else { return 0 }
    if found == expected { return nil }
    return zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, expected.count)
}

/// A file in memory that checks how it is written.
final class MemoryFile {
    private(set) var bytes: [UInt8] = []
    private(set) var largestWrite = 0
    private(set) var rewrites = 0
    private(set) var gaps = 0

    var sink: StillSink {
        { [self] (part, offset) throws(StillError) in
            largestWrite = max(largestWrite, part.count)
            if offset == bytes.count {
                bytes += part
            } else if offset + part.count <= bytes.count {
                rewrites += 1
                bytes.replaceSubrange(offset..<offset + part.count, with: part)
            } else {
                gaps += 1
            }
        }
    }
}
