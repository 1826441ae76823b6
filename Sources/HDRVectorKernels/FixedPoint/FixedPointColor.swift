import CSIMD

/// A vector of 16-bit words, as many as a register holds.
typealias W = cv_w

/// The number of words in a vector.
@inline(__always) var fixedPointLanes: Int { 32 }

/// A function as lines on equal parts of its argument, whose bases and slopes lie in two registers or in four.
///
/// `Parts` is 32 for parts of 2^10, 64 for parts of 2^9, or 66 for 64 parts that are finer near 0. `Up` is 0, 1, 3 or
/// 5, the number of bits that arguments are shifted to the left by before they are multiplied, so that slopes can be up
/// to 2^Up.
struct FixedPointLines<Parts: Constant, Up: Constant> {
    private let base: W, slope: W
    private let secondBase: W, secondSlope: W

    @inline(__always) init(_ table: UnsafePointer<FixedPointTable>) {
        base = cv_load_w(fixed_point_base(table))
        slope = cv_load_w(fixed_point_slope(table))
        secondBase = cv_load_w(fixed_point_base(table) + 32)
        secondSlope = cv_load_w(fixed_point_slope(table) + 32)
    }

    @inline(__always) func callAsFunction(_ x: W) -> W {
        let factor =
            Up.value == 0 ? x : Up.value == 1 ? cv_add_w(x, x) : Up.value == 3 ? cv_times8(x) : cv_times32(x)
        if Parts.value != 32 {
            let index = Parts.value == 64 ? cv_highest6(x) : cv_fine_at_zero(x)
            let product = cv_part(factor, cv_pick2_w(slope, secondSlope, index))
            return cv_add_w(cv_pick2_w(base, secondBase, index), product)
        }
        let index = cv_highest5(x)
        return cv_add_w(cv_pick_w(base, index), cv_part(factor, cv_pick_w(slope, index)))
    }
}

/// A tone curve in fixed point, from positions of R', G', B' in the EOTF to roots of the mapped light. The first step
/// is taken for each component, the second one computes what all three share, and the third one is taken for each
/// component again.
protocol FixedPointTone {
    associatedtype Shared
    init(_ plan: UnsafePointer<FixedPointPlan>)
    func first(_ position: W) -> W
    func shared(_ p: FixedPointPixels) -> Shared
    func second(_ x: W, _ shared: Shared) -> W
    static func light(_ root: V) -> V
}

/// A tone curve that multiplies all components with one gain, looked up by the largest component.
struct FixedPointGain: FixedPointTone {
    private let eotf: FixedPointLines<N64, N0>
    private let curve: FixedPointLines<N32, N3>

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>) {
        eotf = FixedPointLines(fixed_point_eotf(plan))
        curve = FixedPointLines(fixed_point_curve(plan))
    }

    @inline(__always) func first(_ position: W) -> W { position }
    @inline(__always) func shared(_ p: FixedPointPixels) -> W { curve(cv_max_w(p.a, cv_max_w(p.b, p.c))) }
    @inline(__always) func second(_ x: W, _ gain: W) -> W { cv_part(eotf(x), gain) }
    @inline(__always) static func light(_ root: V) -> V { cv_square(cv_square(root)) }
}

/// BT.2446 method A as a tone curve.
struct FixedPointMethodA: FixedPointTone {
    private let eotf: FixedPointLines<N64, N3>
    private let curve: FixedPointLines<N64, N5>
    private let expand: FixedPointLines<N66, N1>
    private let red: W, green: W, blue: W
    private let lumaPart: W, redPart: W

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>) {
        eotf = FixedPointLines(fixed_point_eotf(plan))
        curve = FixedPointLines(fixed_point_curve(plan))
        expand = FixedPointLines(fixed_point_expand(plan))
        red = cv_splat_w(plan.pointee.luma_red)
        green = cv_splat_w(plan.pointee.luma_green)
        blue = cv_splat_w(plan.pointee.luma_blue)
        lumaPart = cv_splat_w(plan.pointee.luma_part)
        redPart = cv_splat_w(plan.pointee.red_part)
    }

    @inline(__always) func first(_ position: W) -> W { eotf(position) }

    /// The three components share a sum and a factor, as in the floating-point kernel.
    @inline(__always) func shared(_ p: FixedPointPixels) -> (sum: W, factor: W) {
        let y = cv_add_w(cv_part(p.a, red), cv_add_w(cv_part(p.b, green), cv_part(p.c, blue)))
        let excess = cv_max_w(cv_sub_w(p.a, y), cv_splat_w(0))
        return (cv_sub_w(cv_part(y, lumaPart), cv_part(excess, redPart)), curve(y))
    }

    @inline(__always) func second(_ x: W, _ shared: (sum: W, factor: W)) -> W {
        expand(cv_max_w(cv_part(cv_add_w(x, shared.sum), shared.factor), cv_splat_w(0)))
    }

    @inline(__always) static func light(_ root: V) -> V { cv_square(root) }
}

/// The rows that receive the results for a chunk.
struct FixedPointOutput {
    /// Luma minus the code of black.
    let luma: FixedPointRow
    /// B' - Y' and R' - Y' of every pixel, or both halved horizontally and alternating.
    let blue: FixedPointRow, red: FixedPointRow
    let pairs: FixedPointRow
    /// The last vectors of B' - Y' and R' - Y': those of the chunk to the left at first, later those of this chunk.
    let carried: FixedPointRow
}

/// Converts a chunk's Y'CbCr to luma and colour differences of the target.
///
/// A vector of 32 pixels goes through four stages. Each is a long chain of instructions that wait for one another's
/// results, longer than any processor looks ahead. So the loop is a software pipeline: in each turn four neighbouring
/// vectors pass one stage each, side by side, and the processor fills the waiting time of one with the work of the
/// others.
///
///     stage 1  positions   Y'CbCr -> R'G'B' positions -> tone.first          p        vector i + 3
///     stage 2  second      tone.shared, tone.second: roots of mapped light   mapped   vector i + 2
///     stage 3  roots       root -> light, matrix to the target's primaries,
///                          light -> fourth root                              words    vector i + 1
///     stage 4  encoding    fourth root -> signal (OETF), R'G'B' -> Y'CbCr    output   vector i
///
///     turn      1        2        3        4
///     stage 1   vec 3    vec 4    vec 5    vec 6
///     stage 2   vec 2    vec 3    vec 4    vec 5
///     stage 3   vec 1    vec 2    vec 3    vec 4
///     stage 4   vec 0    vec 1    vec 2    vec 3
///
/// Before the loop, vectors 0, 1 and 2 pass the stages that the first turn expects to be done. Within a turn the three
/// components follow one another; `cv_order` keeps the compiler from undoing that order, which would need more
/// registers than there are. Beyond the chunk's end the last vector is computed again and its results are dropped.
@inline(never)
func convertColor<Tone: FixedPointTone, Source: FixedPointSource, Differences: FixedPointDifferences>(
    _ tone: Tone.Type, _ source: Source, _ differences: Differences.Type, _ plan: UnsafePointer<FixedPointPlan>,
    _ output: FixedPointOutput, isFirst: Bool, _ count: Int
) {
    let tone = Tone(plan)
    let position = FixedPointPositions(plan)
    let mixing = FixedPointMixing(plan)
    let oetf = FixedPointLines<N32, N1>(fixed_point_oetf(plan))
    let encoding = FixedPointEncoding(plan)
    let last = (count &- 1) / fixedPointLanes &* fixedPointLanes
    @inline(__always) func positions(_ i: Int) -> FixedPointPixels {
        let (luma, cb, cr) = source(smaller(i, last))
        return position(luma, cb, cr)
    }
    @inline(__always) func second(_ p: FixedPointPixels) -> FixedPointPixels {
        let shared = tone.shared(p)
        return p.map { tone.second($0, shared) }
    }
    @inline(__always) func lights(_ p: FixedPointPixels) -> (Pixels, Pixels) {
        (
            Pixels(Tone.light(cv_lower(p.a)), Tone.light(cv_lower(p.b)), Tone.light(cv_lower(p.c))),
            Pixels(Tone.light(cv_higher(p.a)), Tone.light(cv_higher(p.b)), Tone.light(cv_higher(p.c)))
        )
    }
    @inline(__always) func roots(_ p: FixedPointPixels) -> FixedPointPixels {
        let (lower, higher) = lights(p)
        return FixedPointPixels(mixing.a(lower, higher), mixing.b(lower, higher), mixing.c(lower, higher))
    }
    var differences = Differences(plan, output)
    var words = roots(second(positions(0).map { tone.first($0) }))
    if isFirst { differences.begin(encoding(words.map { oetf($0) })) }
    var mapped = second(positions(fixedPointLanes).map { tone.first($0) })
    var signals = positions(2 &* fixedPointLanes).map { tone.first($0) }
    var i = 0
    while i < count {
        var p = positions(i &+ 3 &* fixedPointLanes)
        let shared = tone.shared(signals)
        var (lower, higher) = lights(mapped)
        cv_order(&p.a, &signals.a, &words.a, &lower.a, &higher.a, &p.b, &p.c, &words.b, &words.c)

        p.a = tone.first(p.a)
        mapped.a = tone.second(signals.a, shared)
        var a = mixing.a(lower, higher)
        words.a = oetf(words.a)
        cv_order(&p.b, &signals.b, &words.b, &lower.b, &higher.b, &p.a, &mapped.a, &a, &words.a)

        p.b = tone.first(p.b)
        mapped.b = tone.second(signals.b, shared)
        var b = mixing.b(lower, higher)
        words.b = oetf(words.b)
        cv_order(&p.c, &signals.c, &words.c, &lower.c, &higher.c, &p.b, &mapped.b, &b, &words.b)

        p.c = tone.first(p.c)
        mapped.c = tone.second(signals.c, shared)
        let c = mixing.c(lower, higher)
        words.c = oetf(words.c)
        let encoded = encoding(words)
        cv_store_w(output.luma + i, encoded.luma)
        differences.store(encoded, i)
        signals = p
        words = FixedPointPixels(a, b, c)
        i &+= fixedPointLanes
    }
    differences.end()
}

/// The three components of as many pixels as a vector holds.
struct FixedPointPixels {
    var a: W, b: W, c: W

    @inline(__always) init(_ a: W, _ b: W, _ c: W) {
        self.a = a
        self.b = b
        self.c = c
    }

    @inline(__always) func map(_ f: (W) -> W) -> FixedPointPixels { FixedPointPixels(f(a), f(b), f(c)) }
}

/// Converts light in the source's primaries to fourth roots of light in the target's.
private struct FixedPointMixing {
    private let lower: (Weights, Weights, Weights), higher: (Weights, Weights, Weights)
    private let lowerPeak: V, higherPeak: V

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>) {
        let (m, n) = (plan.pointee.lower, plan.pointee.higher)
        lower = (Weights((m.m00, m.m01, m.m02)), Weights((m.m10, m.m11, m.m12)), Weights((m.m20, m.m21, m.m22)))
        higher = (Weights((n.m00, n.m01, n.m02)), Weights((n.m10, n.m11, n.m12)), Weights((n.m20, n.m21, n.m22)))
        lowerPeak = cv_splat(plan.pointee.lower_peak)
        higherPeak = cv_splat(plan.pointee.higher_peak)
    }

    @inline(__always) func a(_ p: Pixels, _ q: Pixels) -> W { root(p.dot(lower.0), q.dot(higher.0)) }
    @inline(__always) func b(_ p: Pixels, _ q: Pixels) -> W { root(p.dot(lower.1), q.dot(higher.1)) }
    @inline(__always) func c(_ p: Pixels, _ q: Pixels) -> W { root(p.dot(lower.2), q.dot(higher.2)) }

    @inline(__always) private func root(_ first: V, _ second: V) -> W {
        cv_words(cv_fourth_root(first, lowerPeak), cv_fourth_root(second, higherPeak))
    }
}

/// Converts R'G'B' to luma and the colour differences B' - Y' and R' - Y'.
struct FixedPointDifference {
    let luma: W, blue: W, red: W
}

private struct FixedPointEncoding {
    private let red: W, green: W, blue: W, scale: W

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>) {
        red = cv_splat_w(plan.pointee.red)
        green = cv_splat_w(plan.pointee.green)
        blue = cv_splat_w(plan.pointee.blue)
        scale = cv_splat_w(plan.pointee.luma_scale)
    }

    @inline(__always) func callAsFunction(_ p: FixedPointPixels) -> FixedPointDifference {
        let y = cv_add_w(cv_part(p.a, red), cv_add_w(cv_part(p.b, green), cv_part(p.c, blue)))
        let half = cv_part(y, scale)
        return FixedPointDifference(luma: cv_add_w(half, half), blue: cv_sub_w(p.c, y), red: cv_sub_w(p.a, y))
    }
}

/// Converts Y'CbCr to positions of R'G'B' in the EOTF.
private struct FixedPointPositions {
    private let redCr: W, greenCb: W, greenCr: W, blueCb: W
    private let low: W, high: W

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>) {
        redCr = cv_splat_w(plan.pointee.red_cr)
        greenCb = cv_splat_w(plan.pointee.green_cb)
        greenCr = cv_splat_w(plan.pointee.green_cr)
        blueCb = cv_splat_w(plan.pointee.blue_cb)
        low = cv_splat_w(plan.pointee.low)
        high = cv_splat_w(plan.pointee.high)
    }

    @inline(__always) func callAsFunction(_ y: W, _ cb: W, _ cr: W) -> FixedPointPixels {
        let green = cv_add_w(cv_part(cb, greenCb), cv_part(cr, greenCr))
        return FixedPointPixels(
            cv_add_limited(y, cv_part(cr, redCr)), cv_sub_limited(y, green), cv_add_limited(y, cv_part(cb, blueCb))
        ).map { cv_min_w(cv_max_w($0, low), high) }
    }
}

enum N32: Constant { @inline(__always) static var value: Int { 32 } }
enum N66: Constant { @inline(__always) static var value: Int { 66 } }
enum N64: Constant { @inline(__always) static var value: Int { 64 } }
