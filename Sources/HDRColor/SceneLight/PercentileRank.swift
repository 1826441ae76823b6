/// The nearest rank of a percentile: the number of pixels, from the darkest, of which the last one has the least light
/// that a fraction of all pixels does not exceed, from 1 to `count`.
///
/// 55 % of 100 pixels are 55, where the product in floating point is 55.00000000000001; so a millionth of a pixel does
/// not count.
/// - Parameter fraction: limited to [0, 1].
package func percentileRank(_ fraction: Double, of count: Int) -> Int {
    let limited = fraction > 0 ? min(fraction, 1) : 0
    return max(Int((limited * Double(count) - 1e-6).rounded(.up)), 1)
}
