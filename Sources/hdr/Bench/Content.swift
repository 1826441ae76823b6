import Glibc

/// The content of the frames.
enum Content: String, CaseIterable {
    /// Smooth gradients, texture, grain, highlights and saturated ramps, at the levels that graded pictures have.
    case natural
    /// Uniformly distributed legal codes, each sample independent of its neighbours; most colours are out of gamut.
    case random
    /// One colour.
    case flat
}

/// Levels of a source's signal, [0, 1].
struct Levels {
    /// SDR white, and the brightest highlights.
    let white: Float
    let peak: Float

    init(colorimetry: String) {
        switch colorimetry {
        case "bt2100-pq": (white, peak) = (0.58, 0.78)
        case "bt2100-hlg": (white, peak) = (0.75, 1)
        default: (white, peak) = (0.9, 1)
        }
    }
}

/// Draws R', G', B' of the content `natural`, a row at a time, in the source's signal.
struct NaturalPicture {
    private let levels: Levels
    private let width: Int
    private let height: Int
    /// Moves what is seen, so that frames differ.
    private let phase: Float
    /// Values by column: broad waves, a fine texture, where it is visible, highlights, and the hues of the ramps.
    private let broad: [Float]
    private let fine: [Float]
    private let mask: [Float]
    private let glint: [Float]
    private let ramp: [SIMD3<Float>]

    init(levels: Levels, width: Int, height: Int, number: Int) {
        self.levels = levels
        self.width = width
        self.height = height
        let phase = Float(number) * 0.37
        self.phase = phase
        let columns = (0..<width).map { Float($0) / Float(width) }
        let turn = 2 * Float.pi
        broad = columns.map { sinf(turn * 1.3 * $0 + phase) }
        fine = (0..<width).map { sinf(0.9 * Float($0) + phase) }
        mask = columns.map { max(0, sinf(turn * 3 * $0 + phase)) }
        glint = columns.map { powf(sinf(turn * 2.5 * $0 + phase), 2) }
        ramp = columns.map { column in
            let hue = column * 6
            func component(_ shift: Float) -> Float {
                let place = (hue + shift).truncatingRemainder(dividingBy: 6)
                return min(max(abs(place - 3) - 1, 0), 1)
            }
            return SIMD3(component(0), component(4), component(2))
        }
    }

    func draw(row: Int, noise: inout Noise, into pixels: UnsafeMutableBufferPointer<SIMD3<Float>>) {
        let turn = 2 * Float.pi
        let line = Float(row) / Float(height)
        // The lowest eighth holds the ramps, from black up to the peak.
        if line > 0.875 {
            let level = levels.peak * (line - 0.875) * 8
            for x in 0..<width { pixels[x] = ramp[x] * level + noise.grain * 0.004 }
            return
        }
        let broadRow = cosf(turn * 0.9 * line + phase)
        let fineRow = sinf(1.1 * Float(row)) * 0.07
        let maskRow = max(0, sinf(turn * 2 * line))
        let glintRow = powf(sinf(turn * 1.5 * line), 2)
        for x in 0..<width {
            let smooth = 0.6 + 0.25 * broad[x] * broadRow - 0.15 * line
            let bright = max(0, glint[x] * glintRow - 0.92) * 12.5
            let level = levels.white * (smooth + fine[x] * fineRow * mask[x] * maskRow) + noise.grain * 0.02
            let light = level + (levels.peak - level) * bright
            let tint = (1 - bright) * 0.22 * broad[width - 1 - x]
            pixels[x] = SIMD3(light * (1 + tint), light, light * (1 - tint * glintRow))
        }
    }
}

/// Pseudo-random numbers, the same in each process.
struct Noise {
    private var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// A number in [0, 2^32).
    @inline(__always) mutating func next() -> UInt32 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt32(truncatingIfNeeded: state >> 32)
    }

    /// A number in [0, 1).
    @inline(__always) var fraction: Float { mutating get { Float(next() >> 8) * 0x1p-24 } }

    /// A number in [-1, 1).
    @inline(__always) var grain: Float { mutating get { fraction * 2 - 1 } }
}
