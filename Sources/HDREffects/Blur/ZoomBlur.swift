import CKernels
import Glibc
import HDRKernels

/// A blur along the rays from a centre, as of a lens that zooms while the shutter is open: each pixel becomes the mean
/// of the picture along the line from its own position towards the centre, over the fraction `amount` of the distance.
package struct ZoomBlur: Equatable, Sendable {
    /// The centre, which does not move, as fractions of the picture's width and height from its upper left corner:
    /// 0...1.
    package var centre = SIMD2(0.5, 0.5)
    /// The fraction of the way to the centre over which the mean is taken: 0...0.9.
    package var amount = 0.1

    package init() {}

    package static let amounts = 0.0...0.9

    /// The samples along a ray, each nearer to the centre than the one before by the same ratio. They are the midpoints
    /// of as many parts of the line (the midpoint rule). Parts nearer to the centre are shorter, so each sample is
    /// weighted by its distance from the centre, which makes the mean uniform along the line.
    ///
    /// A mean over `taps`^`passes` samples is computed in `passes` passes of `taps` samples each, of which each pass
    /// takes steps that are `taps` times as large as those of the pass before. So a few dozen samples in all suffice.
    struct Plan: Equatable {
        var passes: Int
        var taps: Int
        /// The ratio of the distances of one sample and the one before.
        var ratio: Double

        /// The distances and weights of a pass's taps.
        func taps(ofPass pass: Int) -> [(scale: Double, weight: Double)] {
            let step = pow(Double(taps), Double(pass))
            // The first pass brings the first sample to the middle of its part.
            let first = pass == 0 ? 0.5 : 0
            let scales = (0..<taps).map { pow(ratio, Double($0) * step + first) }
            let sum = scales.reduce(0, +)
            return scales.map { ($0, $0 / sum) }
        }
    }

    /// The centre in pixels, where the first pixel's centre is at 0.
    func place(width: Int, height: Int) -> SIMD2<Double> {
        func limit(_ x: Double) -> Double { x > 0 ? min(x, 1) : 0 }
        return SIMD2(limit(centre.x) * Double(width) - 0.5, limit(centre.y) * Double(height) - 0.5)
    }

    /// The plan for a size of picture, in which the samples of the farthest pixel are at most a pixel apart.
    func plan(width: Int, height: Int) -> Plan {
        let amount = amount > 0 ? min(amount, Self.amounts.upperBound) : 0
        let place = place(width: width, height: height)
        let across = max(place.x, Double(width - 1) - place.x)
        let down = max(place.y, Double(height - 1) - place.y)
        let wanted = amount * (across * across + down * down).squareRoot() + 1
        guard wanted > 1.01 else { return Plan(passes: 1, taps: 1, ratio: 1) }
        // A pass also costs memory bandwidth, as much as about four taps.
        var (passes, taps, least) = (1, 1, Double.infinity)
        for count in 1...4 {
            let each = max(pow(wanted, 1 / Double(count)).rounded(.up), 2)
            let cost = Double(count) * (each + 4)
            if cost < least { (passes, taps, least) = (count, Int(each), cost) }
        }
        let samples = pow(Double(taps), Double(passes))
        return Plan(passes: passes, taps: taps, ratio: pow(1 - amount, 1 / samples))
    }
}

/// Blurs pictures of one size.
package final class ZoomBlurEffect: FrameEffect, @unchecked Sendable {
    package let passes: Int
    private let kernels: KernelEffects
    private let width: Int
    private let height: Int
    private let centre: SIMD2<Double>
    private let scales: [[(scale: Double, weight: Double)]]
    private let work: [WorkRows]
    private let taps: [UnsafeMutablePointer<KernelZoomTap>]
    /// The distance between work rows in numbers.
    private let rowSize: Int
    /// The results of all passes but the last one, written in turn.
    private let between: [LightMemory]

    package init(_ blur: ZoomBlur, width: Int, height: Int, threads: Int, _ instructionSet: InstructionSet = .best) {
        let (width, height) = (max(width, 1), max(height, 1))
        let plan = blur.plan(width: width, height: height)
        kernels = instructionSet.kernels.effects
        self.width = width
        self.height = height
        centre = blur.place(width: width, height: height)
        passes = plan.passes
        scales = (0..<plan.passes).map { plan.taps(ofPass: $0) }
        rowSize = (width + 64 + 15) / 16 * 16
        let size = 4 * rowSize
        work = (0..<max(threads, 1)).map { _ in WorkRows(numbers: size, rows: 0) }
        taps = work.map { _ in
            let taps = UnsafeMutablePointer<KernelZoomTap>.allocate(capacity: plan.taps)
            taps.initialize(repeating: KernelZoomTap(), count: plan.taps)
            return taps
        }
        between = (0..<min(plan.passes - 1, 2)).map { _ in LightMemory(width: width, height: height) }
    }

    deinit { for memory in taps { memory.deallocate() } }

    package func apply(pass: Int, _ source: LightPlanes, into target: LightPlanes, rows: Range<Int>, thread: Int) {
        guard source.width == width, source.height == height, target.width == width, target.height == height,
            scales.indices.contains(pass), work.indices.contains(thread)
        else { return }
        let from = pass == 0 ? source : between[(pass - 1) % 2].planes
        let to = pass == passes - 1 ? target : between[pass % 2].planes
        let own = taps[thread]
        let count = scales[pass].count
        let planes = KernelLightRows(red: from.red, green: from.green, blue: from.blue, alpha: from.alpha)
        for y in rows.clamped(to: 0..<height) {
            for k in 0..<count {
                let (scale, weight) = scales[pass][k]
                let wanted = centre.y + (Double(y) - centre.y) * scale
                let place = min(max(wanted, 0), Double(height - 1))
                let upper = k == 0 ? y : min(Int(place), height - 1)
                own[k] = KernelZoomTap(
                    upper: upper * from.stride, lower: min(upper + 1, height - 1) * from.stride,
                    fraction: k == 0 ? 0 : Float(place - Double(upper)), scale: Float(scale), weight: Float(weight))
            }
            let start = y * to.stride
            let target = KernelLightRows(
                red: to.red + start, green: to.green + start, blue: to.blue + start, alpha: to.alpha + start)
            kernels.zoom_rows(
                own, count, Float(centre.x), planes, target, work[thread].numbers, rowSize, width)
        }
    }
}

extension ZoomBlur: VideoEffect {
    package func planned(for context: EffectContext) -> PlannedEffect {
        guard amount > 0 else { return .matrix(.identity) }
        return .frames(
            ZoomBlurEffect(
                self, width: context.width, height: context.height, threads: context.threads, context.instructionSet))
    }
}
