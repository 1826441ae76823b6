import CKernels
import HDRKernels

/// Blurs pictures of one size.
///
/// A small blur takes one pass: it sums rows of the source, and filters the resulting row. A large one takes three:
/// `reduce` downsamples both directions and blurs horizontally, `blur` blurs vertically and upsamples horizontally, and
/// `enlarge` upsamples vertically.
package final class GaussianBlurEffect: FrameEffect, @unchecked Sendable {
    package let passes: Int
    private let kernels: KernelEffects
    private let filters: GaussianFilters
    private let width: Int
    private let height: Int
    private let weights: Constants
    private let down: Constants
    private let up: Constants
    private let work: [WorkRows]
    /// The picture reduced in both directions, and blurred along rows; its columns begin two before the first.
    private let reduced: LightMemory
    /// The picture blurred in both directions, reduced in height only.
    private let blurred: LightMemory
    private let columns: Reduction
    private let rows: Reduction
    /// The distance between work rows in numbers.
    private let rowSize: Int

    /// The parameters of the lower resolution in one direction.
    private struct Reduction {
        /// The number of pixels of the lower resolution that upsampling reads.
        let count: Int
        /// The first place of a pixel's downsampling filter, in steps, and its length in steps.
        let firstStep: Int
        let steps: Int

        init(_ filters: GaussianFilters, _ size: Int) {
            let step = filters.step
            count = step > 1 ? (size - 1) / step + 3 : 0
            firstStep = -2
            steps = 5
        }
    }

    package init(
        _ blur: GaussianBlur, width: Int, height: Int, threads: Int, _ instructionSet: InstructionSet = .best
    ) {
        let (width, height) = (max(width, 1), max(height, 1))
        kernels = instructionSet.kernels.effects
        let filters = GaussianFilters(sigma: blur.limited)
        self.filters = filters
        self.width = width
        self.height = height
        passes = filters.step > 1 ? 3 : 1
        weights = Constants(filters.weights)
        down = Constants(filters.down)
        up = Constants(filters.up.flatMap(\.weights))
        let (step, radius) = (filters.step, filters.radius)
        columns = Reduction(filters, width)
        rows = Reduction(filters, height)
        let padded = step > 1 ? (columns.count + 2 + 2 * radius + columns.steps + 1) * step : width + 2 * radius
        rowSize = (max(padded, width + step) + 64 + 15) / 16 * 16
        // Memory for a row with its margins, for its phases with room for whole vectors, and for rows of the lower
        // resolution.
        let size = step > 1 ? 4 * rowSize + 32 * step : 2 * rowSize
        let terms = max(filters.weights.count, filters.down.count, 4)
        work = (0..<max(threads, 1)).map { _ in WorkRows(numbers: size, rows: terms) }
        let isLarge = step > 1
        reduced = LightMemory(
            width: isLarge ? columns.count + 2 + 32 : 0, height: isLarge ? rows.count + radius : 0)
        blurred = LightMemory(width: isLarge ? width + step : 0, height: isLarge ? rows.count : 0)
    }

    package func apply(pass: Int, _ source: LightPlanes, into target: LightPlanes, rows: Range<Int>, thread: Int) {
        guard source.width == width, source.height == height, target.width == width, target.height == height,
            work.indices.contains(thread)
        else { return }
        let rows = rows.clamped(to: 0..<height)
        for component in 0..<4 {
            switch (passes, pass) {
            case (1, 0): blurInOne(component, source, target, rows, work[thread])
            case (3, 0): reduce(component, source, share(rows, reduced.planes.height), work[thread])
            case (3, 1): blur(component, share(rows, blurred.planes.height), work[thread])
            case (3, 2): enlarge(component, target, rows, work[thread])
            default: break
            }
        }
    }

    /// The rows of another height that belong to a range of the picture's rows; each belongs to exactly one range.
    private func share(_ rows: Range<Int>, _ count: Int) -> Range<Int> {
        rows.lowerBound * count / height..<rows.upperBound * count / height
    }

    // MARK: Small

    private func blurInOne(
        _ component: Int, _ source: LightPlanes, _ target: LightPlanes, _ rows: Range<Int>, _ work: WorkRows
    ) {
        let (radius, terms) = (filters.radius, filters.weights.count)
        // Vectors are stored from an aligned address on, with the row's margins before and behind.
        let row = work.numbers + (radius + 15) / 16 * 16
        for y in rows {
            for k in 0..<terms { work.rows[k] = UnsafePointer(source.row(component, mirrored(y + k - radius, height))) }
            kernels.sum_rows(work.rows, weights.numbers, terms, row, width)
            surround(row, before: radius, behind: radius + 16)
            for k in 0..<terms { work.rows[k] = UnsafePointer(row + k - radius) }
            kernels.sum_rows(work.rows, weights.numbers, terms, target.row(component, y), width)
        }
    }

    /// Fills the margins of a row with its mirror images.
    private func surround(_ row: UnsafeMutablePointer<Float>, before: Int, behind: Int) {
        for x in -before..<0 { row[x] = row[mirrored(x, width)] }
        for x in width..<width + behind { row[x] = row[mirrored(x, width)] }
    }

    // MARK: Large

    /// Computes rows of the lower resolution, whose columns are then downsampled and blurred.
    private func reduce(_ component: Int, _ source: LightPlanes, _ rows: Range<Int>, _ work: WorkRows) {
        let (step, radius) = (filters.step, filters.radius)
        let terms = filters.down.count
        // The first column of the lower resolution that is needed, and the first step of pixels from which it is
        // computed.
        let firstColumn = -2 - radius
        let firstPixel = (firstColumn + columns.firstStep) * step
        let columnCount = columns.count + 2 + 2 * radius
        let phaseCount = columnCount + columns.steps
        let phaseSize = (phaseCount + 16 + 15) / 16 * 16
        let before = -firstPixel
        let row = work.numbers + (before + 15) / 16 * 16
        let phases = work.numbers + 2 * rowSize
        let reducedRow = work.numbers + rowSize
        for y in rows {
            for k in 0..<terms {
                let place = mirrored(y * step + filters.downStart + k, height)
                work.rows[k] = UnsafePointer(source.row(component, place))
            }
            kernels.sum_rows(work.rows, down.numbers, terms, row, width)
            surround(row, before: before, behind: max(firstPixel + phaseCount * step - width, 0))
            kernels.split_row(row + firstPixel, step, phases, phaseSize, phaseCount)
            for k in 0..<terms {
                let pixel = filters.downStart + k - columns.firstStep * step
                work.rows[k] = UnsafePointer(phases + pixel % step * phaseSize + pixel / step)
            }
            kernels.sum_rows(work.rows, down.numbers, terms, reducedRow, columnCount)
            for k in 0..<filters.weights.count { work.rows[k] = UnsafePointer(reducedRow + k) }
            kernels.sum_rows(
                work.rows, weights.numbers, filters.weights.count, reduced.planes.row(component, y), columns.count + 2)
        }
    }

    /// Blurs rows of the lower resolution with those around them, and upsamples their columns to those of the picture.
    private func blur(_ component: Int, _ rows: Range<Int>, _ work: WorkRows) {
        let (step, radius, terms) = (filters.step, filters.radius, filters.weights.count)
        let pixels = (width + step - 1) / step
        let (sums, phase) = (work.numbers, work.numbers + rowSize)
        for y in rows {
            for k in 0..<terms {
                work.rows[k] = UnsafePointer(reduced.planes.row(component, above(y + k - radius)))
            }
            kernels.sum_rows(work.rows, weights.numbers, terms, sums, columns.count + 2)
            let target = blurred.planes.row(component, y)
            for (k, tap) in filters.up.enumerated() {
                for term in 0..<4 { work.rows[term] = UnsafePointer(sums + (tap.first + 2 + term)) }
                kernels.sum_rows(work.rows, up.numbers + 4 * k, 4, phase, pixels)
                kernels.join_row(phase, target + k, step, pixels)
            }
        }
    }

    /// Upsamples to rows of the picture.
    private func enlarge(_ component: Int, _ target: LightPlanes, _ rows: Range<Int>, _ work: WorkRows) {
        let step = filters.step
        for y in rows {
            let tap = filters.up[y % step]
            for term in 0..<4 {
                work.rows[term] = UnsafePointer(blurred.planes.row(component, above(y / step + tap.first + term)))
            }
            kernels.sum_rows(work.rows, up.numbers + 4 * (y % step), 4, target.row(component, y), width)
        }
    }

    /// The index of a row of the lower resolution. Rows above the first are mirrored, since its pixels cover whole
    /// steps there.
    @inline(__always) private func above(_ y: Int) -> Int { y < 0 ? -1 - y : y }
}

extension GaussianBlur: VideoEffect {
    package func planned(for context: EffectContext) -> PlannedEffect {
        .frames(
            GaussianBlurEffect(
                self, width: context.width, height: context.height, threads: context.threads, context.instructionSet))
    }
}
