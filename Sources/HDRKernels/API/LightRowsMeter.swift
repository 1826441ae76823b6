import CKernels
import HDRColor

/// Computes the statistics of linear light between effects, as ``LightMeter`` does for frames.
///
/// For each picture call ``begin()``, then ``apply(to:)`` for all of its pixels, which stay as they are, and then
/// ``read(into:)``. Light is measured in the stream's primaries, and composited over black where it is premultiplied
/// with an alpha. Light below 0 or above the maximum of PQ counts as that limit, but counts as outside a gamut by its
/// real value.
package final class LightRowsMeter: LightEffect, @unchecked Sendable {
    private let kernels: KernelTable
    private let store = TableStore()
    private let plan: UnsafeMutablePointer<KernelLightPlan>
    private let threads: Int
    /// For each thread: scratch memory, followed by its bins and its results.
    private let memory: UnsafeMutableRawPointer
    private let threadSize: Int
    private let binsOffset: Int
    private let binCount: Int
    private let found: UnsafeMutablePointer<Found>

    private struct Found {
        var light = KernelLight()
        var pixels = 0
    }

    /// - Parameters:
    ///   - light: the primaries of the light that is measured.
    ///   - stream: the primaries of the components that count.
    ///   - white: the luminance of 1.0, in cd/m².
    ///   - gamut, widerGamut: the primaries of gamuts outside of which pixels are counted.
    package init(
        light: Primaries, stream: Primaries, white: Double, gamut: Primaries, widerGamut: Primaries, threads: Int,
        instructionSet: InstructionSet = .best
    ) {
        kernels = instructionSet.kernels
        self.threads = max(threads, 1)
        plan = .allocate(capacity: 1)
        plan.initialize(
            to: LightPlanner.plan(
                light, stream, white: white, gamuts: [gamut, widerGamut], cells: kernels.register_table_size, store))
        binCount = Int(plan.pointee.histograms * plan.pointee.bins)
        func rounded(_ size: Int) -> Int { (size + 127) / 64 * 64 }
        binsOffset = rounded(kernels.scratch_size(1))
        threadSize = binsOffset + rounded(binCount * MemoryLayout<UInt32>.stride)
        memory = .allocate(byteCount: threadSize * self.threads, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: threadSize * self.threads)
        found = .allocate(capacity: self.threads)
        found.initialize(repeating: Found(), count: self.threads)
    }

    deinit {
        memory.deallocate()
        found.deallocate()
        plan.deallocate()
    }

    private func bins(_ thread: Int) -> UnsafeMutablePointer<UInt32> {
        (memory + thread * threadSize + binsOffset).assumingMemoryBound(to: UInt32.self)
    }

    /// Discards the results of the last picture.
    package func begin() {
        for thread in 0..<threads {
            bins(thread).update(repeating: 0, count: binCount)
            found[thread] = Found()
            found[thread].light.counts = bins(thread)
        }
    }

    package func apply(to pixels: LightPixels) {
        guard pixels.isCounted, pixels.thread >= 0, pixels.thread < threads, pixels.count > 0 else { return }
        let scratch = memory + pixels.thread * threadSize
        let rows = KernelLightRows(red: pixels.red, green: pixels.green, blue: pixels.blue, alpha: pixels.alpha)
        kernels.measure_light_rows(plan, rows, pixels.count, scratch, &found[pixels.thread].light)
        found[pixels.thread].pixels += pixels.count
    }

    /// The statistics of the picture that has been measured.
    package func read(into statistics: inout LightStatistics) {
        statistics = LightStatistics()
        var sum = 0.0
        for thread in 0..<threads {
            let one = found[thread]
            guard one.pixels > 0 else { continue }
            sum += one.light.sum
            statistics.pixels += one.pixels
            statistics.maximum = max(statistics.maximum, Double(one.light.maximum))
            statistics.outsideGamut += Int(one.light.outside)
            statistics.outsideWiderGamut += Int(one.light.outside_wider)
            for index in 0..<binCount { statistics.histogram[index % LightStatistics.bins] &+= bins(thread)[index] }
        }
        if statistics.pixels > 0 { statistics.average = sum / Double(statistics.pixels) }
    }
}
