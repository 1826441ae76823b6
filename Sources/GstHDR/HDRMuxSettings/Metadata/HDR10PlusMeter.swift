import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Measures PQ pictures for HDR10+: every pixel, as R, G and B of 16 bits, with chroma interpolated to the positions of
/// luma.
final class HDR10PlusMeter {
    private let converter: PictureConverter
    private let pool: RowPool
    private let width: Int
    private let height: Int
    /// The picture as R, G and B, each pixel with an unused fourth component.
    private let pixels: UnsafeMutableBufferPointer<UInt16>
    /// The measurement of each thread.
    private var parts: [PQDistribution]

    /// The largest picture that HEVC allows, in luma samples: MaxLumaPs of levels 7 to 7.2.
    private static let mostPixels = 142_606_336

    /// - Returns: `nil` for pictures that are not PQ, and for sizes that no level of HEVC allows.
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
    ///   - area: the part of the picture that is measured.
    ///   - isInterlaced: whether each field has its own chroma.
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

    /// - Parameter place: maps a row of the view to the row of the picture.
    private func measure(_ from: FrameView, _ to: FrameView, _ area: PictureArea, _ place: (Int) -> Int) {
        // Slices are small enough that their rows are counted while they are in the processor's cache.
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
