import Glibc
import HDRKernels

/// A pixel in linear light: red, green, blue and alpha, premultiplied, in single precision.
package typealias LightPixel = SIMD4<Float>

/// Memory for rows of pixels in linear light.
///
/// Threads write different rows of it at the same time.
package final class LightPicture: @unchecked Sendable {
    package let width: Int
    package let height: Int
    private let data: UnsafeMutablePointer<LightPixel>

    /// - Returns: `nil` when out of memory.
    package init?(width: Int, height: Int) {
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        // `allocate` ends the process when out of memory; aligned_alloc reports it.
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: MemoryLayout<LightPixel>.stride)
        guard !overflow, !isTooLarge, width > 0, height > 0, let memory = aligned_alloc(64, (bytes + 63) / 64 * 64)
        else { return nil }
        self.width = width
        self.height = height
        data = memory.bindMemory(to: LightPixel.self, capacity: count)
    }

    deinit { free(data) }

    @inline(__always) package func row(_ y: Int) -> UnsafeMutablePointer<LightPixel> { data + y &* width }

    /// A view of its first rows as the rows of a picture.
    func rows(_ rows: Range<Int>) -> LightRows {
        LightRows(data: data, stride: width * MemoryLayout<LightPixel>.stride, rows: rows)
    }
}
