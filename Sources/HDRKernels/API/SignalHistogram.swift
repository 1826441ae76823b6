import CKernels
import HDRColor

/// The PQ signals of the pixels that one thread measures: for each bin of ``LightStatistics`` the number of pixels and
/// the sum of their places in the bin, from which their light follows.
///
/// All numbers are integers, so that results do not depend on the order in which pixels are added.
struct SignalHistogram {
    private static let bins = LightStatistics.bins
    /// The number of histograms that the kernels add to in turns.
    private static let copies = 4
    /// The number of pixels after which ``fold()`` is due; the kernels may add as many again before it.
    private static let mostPixels = 1 << 18
    private static let count = (copies + 2) * bins + 1
    static let byteCount = count * MemoryLayout<UInt64>.stride

    /// What the kernels add to.
    let signals: UnsafeMutablePointer<UInt64>
    private let counts: UnsafeMutablePointer<UInt64>
    private let parts: UnsafeMutablePointer<UInt64>
    /// The number of pixels since the last ``fold()``.
    private let pending: UnsafeMutablePointer<UInt64>

    /// - Parameter memory: ``byteCount`` bytes.
    init(_ memory: UnsafeMutableRawPointer) {
        signals = memory.assumingMemoryBound(to: UInt64.self)
        counts = signals + Self.copies * Self.bins
        parts = counts + Self.bins
        pending = parts + Self.bins
    }

    func clear() { signals.update(repeating: 0, count: Self.count) }

    /// Takes note that the kernels have added pixels.
    func didAdd(pixels: Int) {
        pending.pointee += UInt64(pixels)
        if pending.pointee > Self.mostPixels { fold() }
    }

    /// Moves what the kernels have added to the numbers and the sums.
    private func fold() {
        pending.pointee = 0
        for index in 0..<Self.copies * Self.bins where signals[index] != 0 {
            let bin = index % Self.bins
            let (count, rest) = signals[index].quotientAndRemainder(
                dividingBy: UInt64(KERNEL_ONE_PIXEL) + UInt64(bin * KernelPartsOfBin))
            counts[bin] &+= count
            parts[bin] &+= rest
            signals[index] = 0
        }
    }

    /// Sets the number of pixels in each bin. Allocates no memory.
    /// - Parameters:
    ///   - threads: the number of threads that have measured pixels.
    ///   - own: the pixels of one of them.
    /// - Returns: the sum of the light of all pixels, in cd/m².
    static func read(threads: Int, _ own: (Int) -> SignalHistogram?, into histogram: inout [UInt32]) -> Double {
        for thread in 0..<threads { own(thread)?.fold() }
        var sum = 0.0
        for bin in 0..<bins {
            var (count, parts): (UInt64, UInt64) = (0, 0)
            for thread in 0..<threads {
                guard let own = own(thread) else { continue }
                count &+= own.counts[bin]
                parts &+= own.parts[bin]
            }
            histogram[bin] = UInt32(truncatingIfNeeded: count)
            guard count > 0 else { continue }
            sum += Double(count) * lights[bin].light(Double(parts) / Double(count) / Double(KernelPartsOfBin))
        }
        return sum
    }

    /// The light of a bin's pixels as a parabola through three values of the EOTF, exact to 1e-6 of it from 0.01 cd/m²
    /// on. Pixels in one bin differ so little that their mean signal has their mean light, within 5e-5 of it.
    private struct BinLight {
        private let base: Double, slope: Double, bend: Double

        init(_ bin: Int) {
            func light(_ place: Double) -> Double { PQ.eotf((Double(bin) + place) / Double(LightStatistics.bins)) }
            base = light(0)
            bend = 2 * (base - 2 * light(0.5) + light(1))
            slope = light(1) - base - bend
        }

        /// - Parameter place: the mean place of pixels in the bin, [0, 1].
        func light(_ place: Double) -> Double { base + place * (slope + place * bend) }
    }
    private static let lights = (0..<bins).map(BinLight.init)
}
