import HDRMetadata

/// The rate control of an encoder.
package enum RateControl: Equatable, Sendable {
    /// The average bit rate in bit/s.
    case averageBitRate(Int)
    /// A constant quality from 0 (small) to 1 (nearly lossless).
    case quality(Double)
    /// The rate that the codec determines, as for ProRes.
    case codec
    /// No rate control, since nothing is encoded.
    case copied
}

/// The default bit rates.
///
/// At 1920x1080 and 30 frames a second: HEVC 0.13 bits a pixel (8.1 Mbit/s), H.264 0.19 (11.8 Mbit/s). The bit rate
/// grows with the power 3/4 of the number of pixels and with the square root of the frame rate, because larger and
/// faster pictures resemble themselves more: 3840x2160 at 60 frames a second takes 4 times as much as 1920x1080 at 30.
/// HDR takes a quarter more. A constant quality q is expected to need (q + 1/2)² of that.
///
/// ProRes takes Apple's target data rates, which are proportional to the number of pixels a second.
enum RatePolicy: Equatable {
    /// An average bit rate, as a multiple of the default.
    case average(Double)
    case quality(Double)

    /// The expected bit rate, in bit/s.
    /// - Parameter frameRate: in frames per second.
    static func bitRate(
        _ codec: VideoCodec, size: FrameSize, frameRate: Double, range: DynamicRange
    ) -> Double {
        let pixels = Double(size.width) * Double(size.height)
        let rate = min(max(frameRate, 1), 1000)
        if let bits = proResBits(codec) { return bits * pixels * rate }
        let fullHD = 1920.0 * 1080
        let bits = codec == .h264 ? 0.19 : 0.13
        let size = (pixels / fullHD).squareRoot()
        return bits * fullHD * 30 * size * size.squareRoot() * (rate / 30).squareRoot() * (range.isHDR ? 1.25 : 1)
    }

    /// The bits per pixel of ProRes: Apple ProRes White Paper, target data rates at 1920x1080 and 29.97 frames per
    /// second.
    private static func proResBits(_ codec: VideoCodec) -> Double? {
        let megabits: Double
        switch codec {
        case .proRes422Proxy: megabits = 45
        case .proRes422LT: megabits = 102
        case .proRes422: megabits = 147
        case .proRes422HQ: megabits = 220
        case .proRes4444: megabits = 330
        case .proRes4444XQ: megabits = 500
        default: return nil
        }
        return megabits * 1e6 / (1920 * 1080 * 30000 / 1001)
    }

    static func expectedFactor(quality: Double) -> Double {
        let root = min(max(quality, 0), 1) + 0.5
        return root * root
    }

    /// A bit rate as a whole number of bit/s, from 16 kbit/s to 10 Gbit/s.
    static func whole(_ bitRate: Double) -> Int {
        bitRate.isFinite ? Int(min(max(bitRate, 16_000), 1e10).rounded()) : 16_000
    }
}
