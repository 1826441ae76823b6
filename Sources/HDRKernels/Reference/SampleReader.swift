import HDRColor

/// Reads rows of code values of a layout.
struct SampleReader: Sendable {
    let layout: PixelLayout

    /// Reads `count` samples of one component (0 to 2) in row `y` of its plane.
    @inline(__always)
    func read(_ component: Int, _ frame: FrameView, _ y: Int, count: Int, into out: Row) {
        switch layout.packing {
        case .words:
            guard component < layout.components.count else {
                // Grey gets neutral chroma.
                for i in 0..<count { out[i] = Double(Int32(1) &<< Int32(layout.bits - 1)) }
                return
            }
            let place = layout.components[component]
            if layout.isBigEndian {
                let base = UnsafeRawPointer(frame.row(place.plane, y) + place.offset)
                for i in 0..<count {
                    let word = UInt16(bigEndian: base.loadUnaligned(fromByteOffset: i &* place.step, as: UInt16.self))
                    out[i] = Double(Int32(word &>> UInt16(place.shift)))
                }
                return
            }
            Self.readWords(place, layout.bytesPerWord, frame, y, count, out)
        case .packed1010102(let a, let b, let c):
            let word = frame.row(0, y)
            let shift = UInt32(component == 0 ? a : component == 1 ? b : c)
            for i in 0..<count {
                let bits = UInt32(littleEndian: word.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self))
                out[i] = Double((bits &>> shift) & 0x3ff)
            }
        case .binary16: for i in 0..<count { out[i] = 0 }
        case .v210:
            V210.read(component, frame.row(0, y), count: count, into: out)
        }
    }

    /// Reads alpha; the layout must have it.
    func readAlpha(_ frame: FrameView, _ y: Int, count: Int, into out: UnsafeMutablePointer<UInt16>) {
        if case .packed1010102 = layout.packing {
            let word = frame.row(0, y)
            for i in 0..<count {
                let bits = UInt32(littleEndian: word.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self))
                out[i] = UInt16(truncatingIfNeeded: bits &>> 30)
            }
        } else if let place = layout.alpha {
            let base = frame.row(place.plane, y) + place.offset
            for i in 0..<count {
                out[i] =
                    layout.bytesPerWord == 1
                    ? UInt16(base.load(fromByteOffset: i &* place.step, as: UInt8.self))
                    : UInt16(littleEndian: base.loadUnaligned(fromByteOffset: i &* place.step, as: UInt16.self))
            }
        }
    }

    @inline(__always)
    private static func readWords(
        _ place: ComponentLayout, _ bytes: Int, _ frame: FrameView, _ y: Int, _ count: Int, _ out: Row
    ) {
        let base = UnsafeRawPointer(frame.row(place.plane, y) + place.offset)
        let shift = UInt16(place.shift)
        // A constant step lets each of the common cases become vector loads.
        if bytes == 1 {
            switch place.step {
            case 1: readBytes(base, 1, count, out)
            case 2: readBytes(base, 2, count, out)
            case 3: readBytes(base, 3, count, out)
            default: readBytes(base, 4, count, out)
            }
        } else {
            switch place.step {
            case 2: readShorts(base, 2, shift, count, out)
            case 4: readShorts(base, 4, shift, count, out)
            default: readShorts(base, 8, shift, count, out)
            }
        }
    }

    @inline(__always)
    private static func readBytes(_ base: UnsafeRawPointer, _ step: Int, _ count: Int, _ out: Row) {
        for i in 0..<count { out[i] = Double(Int32(base.load(fromByteOffset: i &* step, as: UInt8.self))) }
    }

    @inline(__always)
    private static func readShorts(
        _ base: UnsafeRawPointer, _ step: Int, _ shift: UInt16, _ count: Int, _ out: Row
    ) {
        for i in 0..<count {
            let word = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: i &* step, as: UInt16.self))
            out[i] = Double(Int32(word &>> shift))
        }
    }
}
