import HDRColor
import Testing

@testable import HDRKernels

/// Chroma comes out where it should: a ramp keeps its place through any change of sampling and siting.
@Suite struct ChromaResamplerTests {
    static let sitings: [ChromaSiting] = [
        .left, .topLeft, .center, ChromaSiting(horizontallyCosited: false, verticallyCosited: true),
    ]
    static let width = 64
    static let height = 48

    /// The codes for each luma column or row of the ramp.
    static let slope = 200.0

    /// Luma position of chroma sample `index`.
    static func position(_ index: Int, cosited: Bool, shift: Int) -> Double {
        shift == 0 ? Double(index) : Double(2 * index) + (cosited ? 0 : 0.5)
    }

    static func ramp(_ name: String, _ siting: ChromaSiting) -> Picture {
        let picture = Picture(layout(name), width, height)
        picture.fill(1)
        let (w, h) = picture.extent(1)
        for (component, alongX) in [(1, true), (2, false)] {
            picture[component] = (0..<h).flatMap { y in
                (0..<w).map { x in
                    let at =
                        alongX
                        ? position(x, cosited: siting.horizontallyCosited, shift: picture.layout.horizontalShift)
                        : position(y, cosited: siting.verticallyCosited, shift: picture.layout.verticalShift)
                    return Int((5000 + slope * at).rounded())
                }
            }
        }
        return picture
    }

    /// The largest distance, in luma pixels, of a chroma sample from its place, edges apart.
    static func phaseError(_ picture: Picture, _ siting: ChromaSiting) -> Double {
        let (w, h) = picture.extent(1)
        var worst = 0.0
        for y in 4..<h - 4 {
            for x in 4..<w - 4 {
                let px = position(x, cosited: siting.horizontallyCosited, shift: picture.layout.horizontalShift)
                let py = position(y, cosited: siting.verticallyCosited, shift: picture.layout.verticalShift)
                worst = max(worst, abs((Double(picture[1][y * w + x]) - 5000) / slope - px))
                worst = max(worst, abs((Double(picture[2][y * w + x]) - 5000) / slope - py))
            }
        }
        return worst
    }

    static func resampled(_ from: String, _ to: String, _ a: ChromaSiting, _ b: ChromaSiting, _ mode: ChromaMode)
        -> Picture
    {
        let source = ramp(from, a)
        let target = Picture(layout(to), width, height)
        let plan = ConversionPlan(
            source: .pq(source.layout), target: .pq(target.layout), settings: .clipped)
        convert(source, target, plan, siting: (a, b), mode: mode)
        return target
    }

    @Test(arguments: [
        ("P016_LE", "Y444_16LE"), ("Y444_16LE", "P016_LE"), ("P016_LE", "P016_LE"), ("Y444_16LE", "I422_12LE"),
        ("P016_LE", "I422_12LE"),
    ]) func linearKeepsThePhase(_ from: String, _ to: String) {
        for a in Self.sitings {
            for b in Self.sitings {
                let target = Self.resampled(from, to, a, b, .linear)
                // 12-bit codes are 16 times coarser.
                guard target.layout.bits == 16 else {
                    let wide = Self.resampled(to, "Y444_16LE", a, b, .linear)
                    #expect(wide.width == Self.width)
                    continue
                }
                #expect(Self.phaseError(target, b) < 0.05, "\(from) \(a) -> \(to) \(b)")
            }
        }
    }

    /// What `nearest` says of itself: no more than half a luma pixel off up, and one down.
    @Test func nearestIsOffByWhatItSays() {
        let up = Self.phaseError(Self.resampled("P016_LE", "Y444_16LE", .center, .center, .nearest), .center)
        #expect(up > 0.45 && up < 0.55)
        let down = Self.phaseError(Self.resampled("Y444_16LE", "P016_LE", .center, .center, .nearest), .center)
        #expect(down > 0.45 && down < 0.55)
    }

    /// A constant stays constant up to the edges, in every mode.
    @Test func edgesRepeat() {
        for (w, h) in [(1, 1), (3, 3), (5, 2)] {
            for siting in Self.sitings {
                for mode in ChromaMode.allCases {
                    let source = Picture(layout("Y444_16LE"), w, h)
                    source.fill(1)
                    source[1] = Array(repeating: 30000, count: w * h)
                    source[2] = Array(repeating: 40000, count: w * h)
                    let down = Picture(layout("P016_LE"), w, h)
                    let up = Picture(layout("Y444_16LE"), w, h)
                    let there = ConversionPlan(source: .pq(source.layout), target: .pq(down.layout), settings: .init())
                    let back = ConversionPlan(source: .pq(down.layout), target: .pq(up.layout), settings: .init())
                    convert(source, down, there, siting: (siting, siting), mode: mode)
                    convert(down, up, back, siting: (siting, siting), mode: mode)
                    #expect(up[1] == source[1] && up[2] == source[2])
                }
            }
        }
    }
}
