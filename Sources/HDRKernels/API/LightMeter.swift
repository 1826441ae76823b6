import CKernels
import HDRColor

/// The light of one picture, in cd/m²: statistics of the largest of R, G and B in each pixel (CTA-861.3 Annex A).
package struct FrameLight: Equatable, Sendable {
    /// The light of the brightest pixel, exact to 1e-6 of its value; for HLG to 4e-6.
    package var maximum: Double
    /// The mean light of all pixels, exact to 1e-6 of its value, with errors of up to 0.0005 cd/m² in pixels darker
    /// than 1 cd/m².
    package var average: Double
    /// The 99.99th percentile of the pixels; `nil` where it was not requested. Exact to 0.5 % of its value for PQ and
    /// to 1/8000 of the display's peak for HLG; never above `maximum`.
    package var percentile: Double?

    package init(maximum: Double, average: Double, percentile: Double? = nil) {
        self.maximum = maximum
        self.average = average
        self.percentile = percentile
    }
}

/// A rectangle of pixels.
package struct PictureArea: Equatable, Sendable {
    package var columns: Range<Int>
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }
}

/// Measures the light of pictures of one format and size. All memory is allocated when it is made.
///
/// Subsampled chroma is first interpolated at luma's positions, linearly and by its siting, as `PictureConverter` does
/// it; the edges of the picture are repeated. R', G' and B' are clamped to [0, 1]. Then the transfer function converts
/// them to light: PQ converts each alone, HLG with the OOTF of a display, others with the luminance of white.
package final class LightMeter: @unchecked Sendable {
    package struct Options: Equatable, Sendable {
        /// Whether percentiles are computed, which takes about as long as the rest.
        package var percentile = false
        /// The nominal peak L_W of the display that HLG signals are for, in cd/m², above 0.
        package var hlgPeak = HLG<Double>.nominalPeak
        /// The luminance of SDR white, in cd/m², above 0: 100 as in BT.1886, or 203 as in BT.2408 for SDR among HDR.
        package var white = BT2408.referenceWhite
        /// The primaries of a gamut. Where they are set, the meter computes statistics, for ``LightMeter/read(into:)``,
        /// in place of ``FrameLight``, and counts the pixels outside this gamut.
        package var gamut: Primaries?
        /// For statistics: the primaries of another gamut, outside of which pixels are counted too.
        package var widerGamut: Primaries?
        /// The pixels that statistics count.
        package var grid = SamplingGrid.sparse
        /// For statistics: whether pictures are Dolby Vision base layers, each of which is
        /// ``FrameView/reshaped(by:)-(Reshaper?)`` to the signal of ``HDRColor/Reshaping/signal(bits:)``.
        package var reshapes = false

        package init() {}
    }

    package let width: Int
    package let height: Int
    package let threads: Int
    /// The fraction of pixels that do not exceed the percentile.
    private static let fraction = 0.9999

    let kernels: KernelTable
    let planner: LightPlanner
    private let store = TableStore()
    let plan: KernelLightPlan
    private let hasPercentile: Bool
    /// Converts pictures to a layout that kernels support; `nil` where theirs is supported.
    let stage: PictureStage?
    /// Copies the pixels of the grid; `nil` where all pixels count.
    let sampler: GridSampler?
    /// The results for each pair of rows of the grid; empty except for statistics.
    let pairs: UnsafeMutableBufferPointer<PairLight>
    private let memory: UnsafeMutableRawPointer
    /// The number of bytes for one thread, and the offsets of its bins and its result in them.
    private let threadSize: Int
    private let binsOffset: Int
    private let resultOffset: Int
    private let binsSize: Int

    /// The results of a thread.
    private struct Found {
        var light = KernelLight()
        var pixels = 0
    }

    /// - Parameters:
    ///   - width, height: the size of the pictures, in pixels.
    ///   - threads: how many slices may be measured at a time, 1 or more.
    ///   - instructionSet: a set that the machine supports.
    /// - Returns: `nil` for a picture without pixels, a peak or a white of 0, and a signal of another bit depth than
    ///   the layout's.
    package init?(
        layout: PixelLayout, signal: ColorSignal, siting: ChromaSiting, width: Int, height: Int,
        options: Options = Options(), threads: Int = 1, instructionSet: InstructionSet = .best
    ) {
        let isPositive = options.hlgPeak > 0 && options.hlgPeak.isFinite && options.white > 0 && options.white.isFinite
        let isOfLayout =
            layout.bits == signal.quantization.bits && layout.isRGB == (signal.quantization.matrix == nil)
        let isReshaped = Reshaper.takes(layout) && options.gamut != nil && signal == Reshaping.signal()
        guard width > 0, height > 0, isPositive, options.reshapes ? isReshaped : isOfLayout else { return nil }
        self.width = width
        self.height = height
        self.threads = max(threads, 1)
        kernels = instructionSet.kernels
        hasPercentile = options.percentile || options.gamut != nil
        let isSparse = options.gamut != nil && options.grid == .sparse
        sampler = isSparse ? GridSampler(layout, width: width, height: height, threads: max(threads, 1)) : nil
        var options = options
        if sampler == nil { options.grid = .every }
        // The pairs of rows in a field may be one more than half of the picture's.
        pairs = .allocate(capacity: options.gamut == nil ? 0 : (height + 1) / 2 + 2)
        pairs.initialize(repeating: PairLight())
        let converted = layout.converted()
        stage = PictureStage(
            layout, converted, margin: layout.verticalShift > 0 ? 2 : 0, width: sampler?.width ?? width,
            threads: self.threads, kernels)
        planner = LightPlanner(converted, signal, options, kernels)
        plan = planner.plan(siting: siting, store)
        let countsSignals = options.gamut != nil && planner.countsSignals
        binsSize =
            countsSignals
            ? SignalHistogram.byteCount
            : Int(plan.histograms) * (planner.topBin + 1) * MemoryLayout<UInt32>.stride
        func rounded(_ size: Int) -> Int { (size + 127) / 64 * 64 }
        binsOffset = rounded(kernels.scratch_size(1))
        resultOffset = binsOffset + (hasPercentile ? rounded(binsSize) : 0)
        threadSize = resultOffset + rounded(MemoryLayout<Found>.stride)
        memory = .allocate(byteCount: threadSize * self.threads, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: threadSize * self.threads)
        for index in 0..<self.threads { part(index).initialize(to: Found()) }
    }

    deinit {
        memory.deallocate()
        pairs.deallocate()
    }

    /// The light of a picture, measured by the calling thread alone.
    /// - Parameter area: the part of the picture that counts. It begins with an even column: an odd one is left out.
    /// - Returns: `nil` for a picture of another size than planned, and where there is nothing to be measured.
    package func measure(_ frame: FrameView, area: PictureArea? = nil) -> FrameLight? {
        for index in 0..<threads { measure(frame, area: area, slice: index) }
        return result()
    }

    /// Measures one of `threads` slices. Slices of one picture may run at the same time, each index at most once.
    package func measure(_ frame: FrameView, area: PictureArea? = nil, slice index: Int) {
        guard index >= 0, index < threads else { return }
        let part = part(index)
        part.pointee = Found()
        part.pointee.light.maximum = -.infinity
        guard frame.width == width, frame.height == height else { return }
        var columns = 0..<width
        var rows = 0..<height
        if let area {
            columns = area.columns.clamped(to: columns)
            rows = area.rows.clamped(to: rows)
        }
        let left = columns.lowerBound + columns.lowerBound % 2
        let first = rows.lowerBound + rows.count * index / threads
        let end = rows.lowerBound + rows.count * (index + 1) / threads
        guard left < columns.upperBound, first < end else { return }
        var plan = plan
        plan.left = left
        plan.right = columns.upperBound
        let scratch = memory + index * threadSize
        if hasPercentile {
            let bins = scratch + binsOffset
            bins.initializeMemory(as: UInt8.self, repeating: 0, count: binsSize)
            part.pointee.light.counts = bins.assumingMemoryBound(to: UInt32.self)
        }
        part.pointee.pixels = (end - first) * (columns.upperBound - left)
        guard let stage else {
            measure(&plan, frame, first, end, scratch, &part.pointee.light)
            return
        }
        var y = first
        while y < end {
            let next = min(y + stage.rows, end)
            measure(&plan, stage.load(frame, y..<next, thread: index), y, next, scratch, &part.pointee.light)
            y = next
        }
    }

    /// Measures rows `[first, end)` of a picture whose layout the kernels support.
    func measure(
        _ plan: inout KernelLightPlan, _ frame: FrameView, _ first: Int, _ end: Int, _ scratch: UnsafeMutableRawPointer,
        _ light: inout KernelLight
    ) {
        var source = KernelFrame(frame)
        kernels.measure_light(&plan, &source, first, end, scratch, &light)
    }

    /// The light of the picture whose slices have been measured.
    /// - Returns: `nil` where there was nothing to be measured.
    package func result() -> FrameLight? {
        var pixels = 0
        var sum = 0.0
        var maximum = -Float.infinity
        for index in 0..<threads {
            let part = part(index).pointee
            pixels += part.pixels
            sum += part.light.sum
            maximum = max(maximum, part.light.maximum)
        }
        guard pixels > 0 else { return nil }
        let brightest = planner.light(maximum: maximum)
        // The average is computed from approximate light, while the maximum is exact.
        var light = FrameLight(maximum: brightest, average: min(sum / Double(pixels), brightest))
        if hasPercentile { light.percentile = min(percentile(of: pixels), brightest) }
        return light
    }

    /// The light of the bin that contains the percentile.
    private func percentile(of pixels: Int) -> Double {
        let above = pixels - percentileRank(Self.fraction, of: pixels)
        var seen = 0
        for bin in stride(from: planner.topBin, through: 0, by: -1) {
            for index in 0..<threads {
                guard let counts = part(index).pointee.light.counts else { continue }
                seen += Int(counts[bin]) + Int(counts[bin + planner.topBin + 1])
            }
            if seen > above { return planner.light(bin: bin) }
        }
        return 0
    }

    /// A thread's scratch memory, and its bins.
    func scratch(_ thread: Int) -> UnsafeMutableRawPointer { memory + thread * threadSize }
    func bins(_ thread: Int) -> UnsafeMutableBufferPointer<UInt32> {
        let start = (scratch(thread) + binsOffset).assumingMemoryBound(to: UInt32.self)
        return UnsafeMutableBufferPointer(start: start, count: hasPercentile ? binsSize / 4 : 0)
    }
    /// A thread's signals, for statistics of a signal.
    func signals(_ thread: Int) -> SignalHistogram? {
        Int(plan.finds_statistics) == KernelStatisticsOfSignal
            ? SignalHistogram(scratch(thread) + binsOffset) : nil
    }

    private func part(_ index: Int) -> UnsafeMutablePointer<Found> {
        (memory + index * threadSize + resultOffset).assumingMemoryBound(to: Found.self)
    }
}
