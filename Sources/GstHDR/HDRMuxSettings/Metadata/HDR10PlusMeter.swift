import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Measures PQ pictures for HDR10+: every pixel, with chroma at luma's positions, as R, G and B of 16 bits.
final class HDR10PlusMeter {
    private let converter: PictureConverter
    private let pool: RowPool
    private let width: Int
    private let height: Int
    /// The picture as R, G and B, with a fourth component beside them.
    private let pixels: UnsafeMutableBufferPointer<UInt16>
    /// What each thread has found.
    private var parts: [PQDistribution]

    /// MaxLumaPs of HEVC's levels 7 to 7.2, the largest picture that there can be.
    private static let mostPixels = 142_606_336

    /// - Returns: `nil` for pictures that are not PQ, and for those that no level of HEVC has.
    init?(_ signal: VideoSignal, pool: RowPool) {
        guard signal.color.transfer == .pq, signal.height > 0, signal.width <= Self.mostPixels / signal.height,
            let layout = PixelLayout.byName["RGBA64_LE"]
        else { return nil }
        let target = ColorSignal(
            transfer: .pq, primaries: signal.color.primaries,
            quantization: Quantization(bits: 16, fullRange: true, matrix: nil))
        converter = PictureConverter(
            plan: ConversionPlan(source: signal.color, target: target, settings: ConversionSettings()),
            format: FormatPlan(
                source: signal.layout.opaque, target: layout.opaque, sourceSiting: signal.siting, targetSiting: .left,
                chromaMode: .linear, dither: .none),
            quality: .reference, width: signal.width, threads: pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        self.pool = pool
        (width, height) = (signal.width, signal.height)
        pixels = .allocate(capacity: 4 * width * height)
        pixels.initialize(repeating: 0)
        parts = Array(repeating: PQDistribution(), count: pool.threads)
    }

    deinit { pixels.deallocate() }

    /// - Parameters:
    ///   - area: what counts of the picture.
    ///   - isInterlaced: each field has chroma of its own.
    /// - Returns: `nil` for a picture of another size than planned.
    func measure(_ picture: FrameView, area: PictureArea, isInterlaced: Bool) -> PQDistribution? {
        let plane = pixels.baseAddress.map { FrameView.Plane(data: UnsafeMutableRawPointer($0), stride: 8 * width) }
        guard picture.width == width, picture.height == height, let plane,
            let target = FrameView(width: width, height: height, planes: [plane])
        else { return nil }
        for thread in parts.indices { parts[thread].reset() }
        for parity in 0..<(isInterlaced ? 2 : 1) {
            guard let from = isInterlaced ? picture.field(parity) : picture,
                let to = isInterlaced ? target.field(parity) : target
            else { continue }
            measure(from, to, area) { isInterlaced ? 2 * $0 + parity : $0 }
        }
        return parts.dropFirst().reduce(into: parts.first ?? PQDistribution()) { $0.add($1) }
    }

    /// - Parameter place: the row of the picture that a row of the view is.
    private func measure(_ from: FrameView, _ to: FrameView, _ area: PictureArea, _ place: (Int) -> Int) {
        // Few enough rows that they are counted while they lie in the processor's cache.
        let slices = max(from.height / 16, 1)
        let columns = area.columns.clamped(to: 0..<width)
        let (converter, width, pixels) = (converter, width, UnsafeBufferPointer(pixels))
        parts.withUnsafeMutableBufferPointer { parts in
            pool.forEachSlice(of: slices) { slice, thread in
                converter.convert(from, to, slice: slice, of: slices, thread: thread)
                for y in converter.rows(ofSlice: slice, of: slices, height: from.height) {
                    let row = place(y)
                    guard area.rows.contains(row) else { continue }
                    let start = 4 * (row * width + columns.lowerBound)
                    parts[thread].add(UnsafeBufferPointer(rebasing: pixels[start..<start + 4 * columns.count]))
                }
            }
        }
    }
}
