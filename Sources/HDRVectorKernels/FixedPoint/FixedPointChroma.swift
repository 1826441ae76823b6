import CSIMD

typealias FixedPointRow = UnsafeMutablePointer<UInt16>

/// A row of chroma and the row that is mixed with it, with Cb and Cr alternating, from the chunk's first column on.
/// There is one more column on either side.
struct FixedPointChroma {
    let near: UnsafePointer<UInt16>, far: UnsafePointer<UInt16>
    /// The weight of the farther row: 0, 1/4 or 1/2.
    let weight: Float
}

/// Interpolates chroma at luma's positions: 16 columns become 32 words of Cb and 32 of Cr, centred on 0. Chroma that
/// `FixedPointQuarters` reads is not spread here. A row without a neighbour is mixed with itself.
func spread(
    _ plan: UnsafePointer<FixedPointPlan>, _ chroma: FixedPointChroma, _ count: Int, _ cb: FixedPointRow,
    _ cr: FixedPointRow
) {
    if plan.pointee.is_nearest != 0 {
        spread(FixedPointOneRow.self, FixedPointNearest.self, chroma, count, cb, cr)
    } else if plan.pointee.source_cosited_x != 0 {
        spread(FixedPointHalf.self, FixedPointCosited.self, chroma, count, cb, cr)
    } else if chroma.weight == 0.5 {
        spread(FixedPointHalf.self, FixedPointCentred.self, chroma, count, cb, cr)
    } else {
        spread(FixedPointQuarter.self, FixedPointCentred.self, chroma, count, cb, cr)
    }
}

@inline(never)
private func spread<Vertical: FixedPointMix, Horizontal: FixedPointSpread>(
    _ vertical: Vertical.Type, _ horizontal: Horizontal.Type, _ chroma: FixedPointChroma, _ count: Int,
    _ cb: FixedPointRow,
    _ cr: FixedPointRow
) {
    @inline(__always) func column(_ i: Int) -> W {
        vertical.mix(cv_load_w(chroma.near + i), cv_load_w(chroma.far + i))
    }
    var i = 0
    while i < count {
        let (even, odd) = horizontal.spread(i, column)
        cv_store_w(cb + i, cv_centre(cv_join(even, cv_to_higher(odd))))
        cv_store_w(cr + i, cv_centre(cv_join(cv_to_lower(even), odd)))
        i &+= fixedPointLanes
    }
}

protocol FixedPointMix {
    static func mix(_ near: W, _ far: W) -> W
}
enum FixedPointOneRow: FixedPointMix {
    @inline(__always) static func mix(_ near: W, _ far: W) -> W { near }
}
enum FixedPointHalf: FixedPointMix {
    @inline(__always) static func mix(_ near: W, _ far: W) -> W { cv_mean(near, far) }
}
enum FixedPointQuarter: FixedPointMix {
    @inline(__always) static func mix(_ near: W, _ far: W) -> W { cv_mean(near, cv_mean(near, far)) }
}

/// The interpolation of an even and an odd column of luma from the chroma column whose two words are at `i`.
protocol FixedPointSpread {
    static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W)
}
enum FixedPointNearest: FixedPointSpread {
    @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) { (column(i), column(i)) }
}
enum FixedPointCosited: FixedPointSpread {
    @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) {
        let even = column(i)
        return (even, cv_mean(even, column(i &+ 2)))
    }
}
enum FixedPointCentred: FixedPointSpread {
    @inline(__always) static func spread(_ i: Int, _ column: (Int) -> W) -> (W, W) {
        let own = column(i)
        return (cv_mean(own, cv_mean(own, column(i &- 2))), cv_mean(own, cv_mean(own, column(i &+ 2))))
    }
}

/// The source that a chunk is read from: luma in 15 bits, and Cb and Cr centred on 0.
protocol FixedPointSource {
    func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W)
}

/// Rows with a sample of each component for every pixel.
struct FixedPointSamples: FixedPointSource {
    let luma: UnsafePointer<UInt16>
    let cb: FixedPointRow, cr: FixedPointRow

    @inline(__always) func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W) {
        (cv_half_w(cv_load_w(luma + i)), cv_load_w(cb + i), cv_load_w(cr + i))
    }
}

/// Luma, and chroma that is interpolated as it is read: it is cosited with even columns and lies at most a quarter of a
/// row from luma.
struct FixedPointQuarters: FixedPointSource {
    let luma: UnsafePointer<UInt16>
    let chroma: FixedPointChroma

    @inline(__always) func callAsFunction(_ i: Int) -> (luma: W, cb: W, cr: W) {
        let (even, odd) = FixedPointCosited.spread(i) {
            FixedPointQuarter.mix(cv_load_w(chroma.near + $0), cv_load_w(chroma.far + $0))
        }
        return (
            cv_half_w(cv_load_w(luma + i)), cv_centre(cv_join(even, cv_to_higher(odd))),
            cv_centre(cv_join(cv_to_lower(even), odd))
        )
    }
}

/// How colour differences are stored.
protocol FixedPointDifferences {
    init(_ plan: UnsafePointer<FixedPointPlan>, _ output: FixedPointOutput)
    /// Called at the picture's left edge, where no vector comes before the first.
    mutating func begin(_ first: FixedPointDifference)
    mutating func store(_ difference: FixedPointDifference, _ i: Int)
    func end()
}

/// Colour differences for every pixel.
struct FixedPointWhole: FixedPointDifferences {
    private let output: FixedPointOutput

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>, _ output: FixedPointOutput) { self.output = output }
    @inline(__always) func begin(_ first: FixedPointDifference) {}
    @inline(__always) func store(_ difference: FixedPointDifference, _ i: Int) {
        cv_store_w(output.blue + i, difference.blue)
        cv_store_w(output.red + i, difference.red)
    }
    @inline(__always) func end() {}
}

/// Colour differences halved horizontally, with Cb and Cr alternating. The sum of four such values is a code value.
struct FixedPointHalved: FixedPointDifferences {
    private let output: FixedPointOutput
    private let blueOwn: W, blueLeft: W, redOwn: W, redLeft: W
    /// Half of the lowest bit of the higher word, which is added for rounding.
    private let half: W
    private var blue: W, red: W

    @inline(__always) init(_ plan: UnsafePointer<FixedPointPlan>, _ output: FixedPointOutput) {
        self.output = output
        let (cb, cr) = (fixed_point_halving(plan, 0)!, fixed_point_halving(plan, 1)!)
        blueOwn = cv_splat_pair(cb[0], cb[1])
        blueLeft = cv_splat_pair(0, cb[2])
        redOwn = cv_splat_pair(cr[0], cr[1])
        redLeft = cv_splat_pair(0, cr[2])
        half = cv_splat_pair(-0x8000, 0)
        blue = cv_load_w(output.carried)
        red = cv_load_w(output.carried + fixedPointLanes)
    }

    @inline(__always) mutating func begin(_ first: FixedPointDifference) {
        blue = cv_first_word(first.blue)
        red = cv_first_word(first.red)
    }

    @inline(__always) mutating func store(_ difference: FixedPointDifference, _ i: Int) {
        let cb = halved(difference.blue, blueOwn, cv_after(blue, difference.blue), blueLeft)
        let cr = halved(difference.red, redOwn, cv_after(red, difference.red), redLeft)
        cv_store_w(output.pairs + i, cv_join(cv_to_lower(cb), cr))
        (blue, red) = (difference.blue, difference.red)
    }

    /// The weighted sum of two columns and the one to their left, in the higher word of each 32 bits.
    @inline(__always) private func halved(_ x: W, _ own: W, _ left: W, _ weight: W) -> W {
        cv_add_i32(cv_add_i32(cv_dot(x, own), half), cv_dot(left, weight))
    }

    @inline(__always) func end() {
        cv_store_w(output.carried, blue)
        cv_store_w(output.carried + fixedPointLanes, red)
    }
}

/// Computes above + 2 * upper + lower, which replaces `upper`.
@inline(never)
func sum(_ above: FixedPointRow, _ upper: FixedPointRow, _ lower: FixedPointRow, _ count: Int) {
    var i = 0
    while i < count {
        let own = cv_load_w(upper + i)
        let outer = cv_add_w(cv_load_w(above + i), cv_load_w(lower + i))
        cv_store_w(upper + i, cv_add_w(cv_add_w(own, own), outer))
        i &+= fixedPointLanes
    }
}

/// Exchanges Cb and Cr, so that Cr comes first.
@inline(never)
func swapPairs(_ pairs: FixedPointRow, _ count: Int) {
    var i = 0
    while i < count {
        let pair = cv_load_w(pairs + i)
        cv_store_w(pairs + i, cv_join(cv_to_lower(pair), cv_to_higher(pair)))
        i &+= fixedPointLanes
    }
}

@inline(never)
func copy(_ from: FixedPointRow, _ to: FixedPointRow, _ count: Int) {
    var i = 0
    while i < count {
        cv_store_w(to + i, cv_load_w(from + i))
        i &+= fixedPointLanes
    }
}
