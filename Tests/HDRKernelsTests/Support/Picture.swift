import HDRColor
import TestSupport

@testable import HDRKernels

/// A picture in memory of its own, with padded rows and guard bytes around each plane. Once it is filled, any number of
/// tests may read it.
final class Picture: @unchecked Sendable {
    let layout: PixelLayout
    let width: Int
    let height: Int

    private struct Plane {
        let memory: PlaneMemory
        let stride: Int
        let rows: Int
        /// The number of bytes of a row that samples fill.
        let rowBytes: Int
        func row(_ y: Int) -> UnsafeMutableRawPointer { memory.start + y * stride }
    }
    private var planes: [Plane] = []

    /// - Parameter padding: bytes between the end of a row and the start of the next.
    init(_ layout: PixelLayout, _ width: Int, _ height: Int, padding: Int = 0, at placement: Placement = .aligned) {
        self.layout = layout
        self.width = width
        self.height = height
        let chromaWidth = (width + (1 << layout.horizontalShift) - 1) >> layout.horizontalShift
        let chromaHeight = (height + (1 << layout.verticalShift) - 1) >> layout.verticalShift
        var sizes: [Int: (bytes: Int, rows: Int)] = [:]
        switch layout.packing {
        case .packed1010102: sizes[0] = (4 * width, height)
        case .binary16: sizes[0] = (8 * width, height)
        case .v210: sizes[0] = ((width + 5) / 6 * 16, height)
        case .words where layout.isPacked422:
            // Groups of two pixels.
            sizes[0] = (chromaWidth * layout.components[1].step, height)
        case .words:
            let places = layout.components + (layout.alpha.map { [$0] } ?? [])
            for (index, place) in places.enumerated() {
                let isChroma = index == 1 || index == 2
                let bytes = (isChroma ? chromaWidth : width) * place.step
                sizes[place.plane] = (bytes, isChroma ? chromaHeight : height)
            }
        }
        for index in 0..<sizes.count {
            let (bytes, rows) = sizes[index]!
            let stride = bytes + padding
            let memory = PlaneMemory(size: stride * (rows - 1) + bytes, placement)
            planes.append(Plane(memory: memory, stride: stride, rows: rows, rowBytes: bytes))
        }
    }

    var view: FrameView {
        let planes = planes.map { FrameView.Plane(data: $0.memory.start, stride: $0.stride) }
        return FrameView(width: width, height: height, planes: planes)!
    }

    /// The picture's own bytes, without padding, plane by plane.
    var content: [UInt8] {
        var result: [UInt8] = []
        for plane in planes {
            for y in 0..<plane.rows { result += UnsafeRawBufferPointer(start: plane.row(y), count: plane.rowBytes) }
        }
        return result
    }

    /// The number of bytes of a row, and of rows, of each plane.
    var shape: [(rowBytes: Int, rows: Int)] { planes.map { ($0.rowBytes, $0.rows) } }

    /// Copies bytes in the order of `content`.
    func fill(content: ArraySlice<UInt8>) {
        var rest = content
        for plane in planes {
            for y in 0..<plane.rows {
                rest.prefix(plane.rowBytes).withUnsafeBytes {
                    plane.row(y).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
                }
                rest = rest.dropFirst(plane.rowBytes)
            }
        }
    }

    /// Copies the samples of a picture of the same layout and size.
    func copy(_ other: Picture) {
        for (plane, from) in zip(planes, other.planes) {
            for y in 0..<plane.rows { plane.row(y).copyMemory(from: from.row(y), byteCount: plane.rowBytes) }
        }
    }

    /// From now on writing ends the program, where the picture lies between protected pages.
    func forbidWriting() {
        for plane in planes { plane.memory.forbidWriting() }
    }

    /// Whether a byte outside the rows has been written.
    var guardIsBroken: Bool {
        planes.contains { plane in
            let bytes = plane.memory.touchable
            let start = plane.memory.start - bytes.baseAddress!
            let rows = plane.rows
            func isGuard(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 == PlaneMemory.guardByte } }
            return !isGuard(0..<start)
                || (0..<rows).contains { y in
                    let end = start + y * plane.stride + plane.rowBytes
                    return !isGuard(end..<(y + 1 < rows ? start + (y + 1) * plane.stride : bytes.count))
                }
        }
    }

    /// Width and height of a component's plane.
    func extent(_ component: Int) -> (width: Int, height: Int) {
        let isChroma = component == 1 || component == 2
        return
            (isChroma
            ? (
                (width + (1 << layout.horizontalShift) - 1) >> layout.horizontalShift,
                (height + (1 << layout.verticalShift) - 1) >> layout.verticalShift
            ) : (width, height))
    }

    /// Samples of a component, 0 to 2, or 3 for alpha, by rows.
    subscript(component: Int) -> [Int] {
        get {
            let (w, h) = extent(component)
            if layout.isGray && component > 0 { return Array(repeating: 1 << (layout.bits - 1), count: w * h) }
            return (0..<h).flatMap { y in (0..<w).map { sample(component, $0, y) } }
        }
        set {
            if layout.isGray && component > 0 { return }
            let (w, h) = extent(component)
            for y in 0..<h { for x in 0..<w { setSample(component, x, y, newValue[y * w + x]) } }
        }
    }

    /// Reads one sample on its own, by the format's definition and not by the code under test.
    private func sample(_ component: Int, _ x: Int, _ y: Int) -> Int {
        let (address, bits, shift, mask) = locate(component, x, y)
        return (word(address, bits) >> shift) & mask
    }

    private func setSample(_ component: Int, _ x: Int, _ y: Int, _ value: Int) {
        let (address, bits, shift, mask) = locate(component, x, y)
        let old = word(address, bits)
        // A 16-bit word with a shift holds nothing else: its low bits are 0.
        let keep = bits == 32 ? old & ~(mask << shift) : 0
        let new = keep | (value & mask) << shift
        for byte in 0..<bits / 8 {
            let place = layout.isBigEndian ? bits / 8 - 1 - byte : byte
            address.storeBytes(of: UInt8(new >> (8 * byte) & 255), toByteOffset: place, as: UInt8.self)
        }
    }

    private func word(_ address: UnsafeMutableRawPointer, _ bits: Int) -> Int {
        (0..<bits / 8).reduce(0) {
            let place = layout.isBigEndian ? bits / 8 - 1 - $1 : $1
            return $0 | Int(address.load(fromByteOffset: place, as: UInt8.self)) << (8 * $1)
        }
    }

    private func locate(_ c: Int, _ x: Int, _ y: Int) -> (UnsafeMutableRawPointer, Int, Int, Int) {
        switch layout.packing {
        case .packed1010102(let first, let second, let third):
            let shift = [first, second, third, 30][c]
            return (planes[0].row(y) + 4 * x, 32, shift, c == 3 ? 3 : 1023)
        case .binary16: return (planes[0].row(y) + 8 * x + 2 * c, 16, 0, 0xffff)
        case .v210:
            // SMPTE's figure, sample by sample: word and bit of Cb Y Cr, Y Cb Y, Cr Y Cb, Y Cr Y.
            let luma = [(0, 10), (1, 0), (1, 20), (2, 10), (3, 0), (3, 20)]
            let cb = [(0, 0), (1, 10), (2, 20)]
            let cr = [(0, 20), (2, 0), (3, 10)]
            let per = c == 0 ? 6 : 3
            let (w, bit) = (c == 0 ? luma : c == 1 ? cb : cr)[x % per]
            return (planes[0].row(y) + x / per * 16 + 4 * w, 32, bit, 1023)
        case .words:
            let place = c == 3 ? layout.alpha! : layout.components[c]
            let address = planes[place.plane].row(y) + place.offset + x * place.step
            return (address, layout.bits > 8 ? 16 : 8, place.shift, (1 << layout.bits) - 1)
        }
    }

    /// Sets every byte to 0, for formats with bits that belong to no sample.
    func clear() {
        for plane in planes {
            for y in 0..<plane.rows {
                plane.row(y).initializeMemory(as: UInt8.self, repeating: 0, count: plane.rowBytes)
            }
        }
    }

    /// Random samples in every component.
    func fill(_ seed: UInt64) {
        clear()
        var random = SeededGenerator(seed: seed)
        for c in 0..<(layout.hasAlpha ? 4 : 3) {
            let (w, h) = extent(c)
            let top = c == 3 ? (1 << layout.alphaBits) - 1 : (1 << layout.bits) - 1
            self[c] = (0..<w * h).map { _ in Int.random(in: 0...top, using: &random) }
        }
    }
}

extension ColorSignal {
    static func pq(_ layout: PixelLayout, full: Bool? = nil) -> ColorSignal {
        make(.pq, .bt2020, .bt2020, layout, full)
    }
    static func hlg(_ layout: PixelLayout, full: Bool? = nil) -> ColorSignal {
        make(.hlg, .bt2020, .bt2020, layout, full)
    }
    static func sdr(_ layout: PixelLayout, full: Bool? = nil) -> ColorSignal {
        make(.bt1886, .bt709, .bt709, layout, full)
    }

    static func make(
        _ transfer: Transfer, _ primaries: Primaries, _ matrix: YCbCrMatrix, _ layout: PixelLayout, _ full: Bool?
    ) -> ColorSignal {
        ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: Quantization(
                bits: layout.bits, fullRange: full ?? layout.isRGB, matrix: layout.isRGB ? nil : matrix))
    }
}

/// Converts one picture into another with all bands in turn.
func convert(
    _ source: Picture, _ target: Picture, _ plan: ConversionPlan, quality: Quality = .balanced, threads: Int = 1,
    siting: (ChromaSiting, ChromaSiting) = (.left, .left), mode: ChromaMode = .linear, dither: Dither = .none,
    instructionSet: InstructionSet = .best
) {
    let format = FormatPlan(
        source: source.layout, target: target.layout, sourceSiting: siting.0, targetSiting: siting.1, chromaMode: mode,
        dither: dither)
    let converter = PictureConverter(
        plan: plan, format: format, quality: quality, width: source.width, threads: threads,
        instructionSet: instructionSet)
    for slice in 0..<threads { converter.convert(source.view, target.view, slice: slice) }
}

func layout(_ name: String) -> PixelLayout { PixelLayout.byName[name]! }
