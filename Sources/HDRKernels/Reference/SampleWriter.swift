import CSIMD
import HDRColor

/// Rounds rows of computed code values, with or without dither, and writes them in a layout that needs no
/// ``PictureStage``.
struct SampleWriter: @unchecked Sendable {
    let layout: PixelLayout
    private let top: Float
    private let dithers: Bool
    /// The bias added before truncation: a half plus the dither. The square pattern has a power of 2 rows and columns,
    /// 8 or more.
    private let bias: UnsafePointer<Float>
    private let size: Int
    private let store = TableStore()

    init(layout: PixelLayout, dither: Dither) {
        self.layout = layout
        dithers = dither != .none
        let size = dither.size
        self.size = size
        bias = store.make(size * size) { Double(0.5 + dither.offset(x: $0 % size, y: $0 / size)) }
        top = Float((1 << layout.bits) - 1)
    }

    /// Clears the bits that no component writes, where samples share words with padding.
    @inline(__always)
    func prepareRow(_ frame: FrameView, _ y: Int, width: Int) {
        guard layout.packing == .v210 else { return }
        frame.row(0, y).initializeMemory(as: UInt8.self, repeating: 0, count: (width &+ 5) / 6 &* 16)
    }

    /// Rounds and writes `count` samples of one component (0 to 2) in row `y` of its plane. Changes `row`, up to the
    /// next multiple of 8.
    @inline(__always)
    func write(_ component: Int, _ frame: FrameView, _ y: Int, count: Int, from row: Row) {
        if layout.packing == .binary16 {
            let base = frame.row(0, y) + 2 &* component
            for i in 0..<count {
                let code = cv_half_f32(cv_limit_f32(Float(row[i]), 0, 65504))
                base.storeBytes(of: code.littleEndian, toByteOffset: 8 &* i, as: UInt16.self)
            }
            return
        }
        round(row, y, count)
        switch layout.packing {
        case .binary16: break
        case .words:
            let place = layout.components[component]
            writeWords(place, frame.row(place.plane, y) + place.offset, count, row)
        case .packed1010102(let a, let b, let c):
            let base = frame.row(0, y)
            let shift = UInt32(component == 0 ? a : component == 1 ? b : c)
            let keep = ~(UInt32(0x3ff) &<< shift)
            for i in 0..<count {
                var bits = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self))
                bits = bits & keep | UInt32(truncate(row[i])) &<< shift
                base.storeBytes(of: bits.littleEndian, toByteOffset: 4 &* i, as: UInt32.self)
            }
        case .v210:
            V210.write(component, frame.row(0, y), count: count) { truncate(row[$0]) }
        }
    }

    /// Limits to the codes that exist, after adding the half that makes truncation round, and the dither.
    @inline(__always)
    private func round(_ row: Row, _ y: Int, _ count: Int) {
        let high = Double(top)
        var start = 0
        if !dithers {
            for i in 0..<count { row[i] = clamp(row[i] + 0.5, 0, high) }
            return
        }
        let pattern = bias + (y & (size &- 1)) &* size
        while start < count {
            let p = row + start
            let b = pattern + start & (size &- 1)
            p[0] = clamp(p[0] + Double(b[0]), 0, high)
            p[1] = clamp(p[1] + Double(b[1]), 0, high)
            p[2] = clamp(p[2] + Double(b[2]), 0, high)
            p[3] = clamp(p[3] + Double(b[3]), 0, high)
            p[4] = clamp(p[4] + Double(b[4]), 0, high)
            p[5] = clamp(p[5] + Double(b[5]), 0, high)
            p[6] = clamp(p[6] + Double(b[6]), 0, high)
            p[7] = clamp(p[7] + Double(b[7]), 0, high)
            start &+= 8
        }
    }

    @inline(__always)
    private func writeWords(
        _ place: ComponentLayout, _ base: UnsafeMutableRawPointer, _ count: Int, _ row: Row
    ) {
        if layout.bytesPerWord == 1 {
            switch place.step {
            case 1: writeBytes(base, 1, count, row)
            case 2: writeBytes(base, 2, count, row)
            case 3: writeBytes(base, 3, count, row)
            default: writeBytes(base, 4, count, row)
            }
        } else {
            let shift = UInt16(place.shift)
            switch place.step {
            case 2: writeShorts(base, 2, shift, count, row)
            case 4: writeShorts(base, 4, shift, count, row)
            default: writeShorts(base, 8, shift, count, row)
            }
        }
    }

    @inline(__always)
    private func writeBytes(_ base: UnsafeMutableRawPointer, _ step: Int, _ count: Int, _ row: Row) {
        for i in 0..<count {
            base.storeBytes(of: UInt8(truncatingIfNeeded: truncate(row[i])), toByteOffset: i &* step, as: UInt8.self)
        }
    }

    @inline(__always)
    private func writeShorts(
        _ base: UnsafeMutableRawPointer, _ step: Int, _ shift: UInt16, _ count: Int, _ row: Row
    ) {
        for i in 0..<count {
            let word = truncate(row[i]) &<< shift
            base.storeBytes(of: word.littleEndian, toByteOffset: i &* step, as: UInt16.self)
        }
    }

    /// Writes alpha or padding: `codes` scaled from `bits` of alpha, or opaque where there are none.
    func writeAlpha(_ frame: FrameView, _ y: Int, count: Int, from codes: UnsafeMutablePointer<UInt16>?, bits: Int) {
        let top = UInt32((1 << layout.alphaBits) - 1)
        let from = UInt32((1 << bits) - 1)
        func scaled(_ i: Int) -> UInt32 {
            guard let codes else { return top }
            return from == top ? UInt32(codes[i]) : (UInt32(codes[i]) &* top &+ from / 2) / from
        }
        if layout.packing == .binary16 {
            let base = frame.row(0, y) + 6
            let one = UInt16(0x3c00).littleEndian
            for i in 0..<count { base.storeBytes(of: one, toByteOffset: 8 &* i, as: UInt16.self) }
        } else if case .packed1010102 = layout.packing {
            let base = frame.row(0, y)
            for i in 0..<count {
                var word = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self))
                word = word & 0x3fff_ffff | scaled(i) &<< 30
                base.storeBytes(of: word.littleEndian, toByteOffset: 4 &* i, as: UInt32.self)
            }
        } else if let place = layout.alpha {
            let base = frame.row(place.plane, y) + place.offset
            for i in 0..<count {
                if layout.bytesPerWord == 1 {
                    base.storeBytes(
                        of: UInt8(truncatingIfNeeded: scaled(i)), toByteOffset: i &* place.step, as: UInt8.self)
                } else {
                    let word = UInt16(truncatingIfNeeded: scaled(i)).littleEndian
                    base.storeBytes(of: word, toByteOffset: i &* place.step, as: UInt16.self)
                }
            }
        }
    }
}
