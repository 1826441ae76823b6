import HDRMetadata

/// A picture in memory that the caller owns, and the meaning of its samples.
package struct StillImage {
    /// The layout of samples in a row: interleaved, red first, without gaps.
    package enum Layout: CaseIterable, Sendable {
        /// 8-bit codes.
        case rgb8, rgba8
        /// 16-bit codes, little-endian.
        case rgb16, rgba16
        /// IEEE 754 binary16 and binary32, little-endian. They are linear light, in which 1.0 is the reference white.
        case rgbaHalf, rgbaFloat

        var components: Int {
            switch self {
            case .rgb8, .rgb16: 3
            case .rgba8, .rgba16, .rgbaHalf, .rgbaFloat: 4
            }
        }

        var bytesPerComponent: Int {
            switch self {
            case .rgb8, .rgba8: 1
            case .rgb16, .rgba16, .rgbaHalf: 2
            case .rgbaFloat: 4
            }
        }

        package var bytesPerPixel: Int { components * bytesPerComponent }

        /// Whether the samples are codes of a signal rather than light.
        package var isInteger: Bool {
            switch self {
            case .rgb8, .rgba8, .rgb16, .rgba16: true
            case .rgbaHalf, .rgbaFloat: false
            }
        }
    }

    /// The shape of a pixel, width to height.
    package struct PixelAspectRatio: Equatable, Sendable {
        package let width: UInt32
        package let height: UInt32

        package static let square = PixelAspectRatio()

        /// The ratio in lowest terms; `nil` where a side is 0 or over 2³¹ - 1.
        package init?(width: Int, height: Int) {
            let sides = 1...Int(Int32.max)
            guard sides.contains(width), sides.contains(height) else { return nil }
            self.width = UInt32(width)
            self.height = UInt32(height)
        }

        private init() {
            width = 1
            height = 1
        }

        var isSquare: Bool { width == height }
    }

    /// The memory from the first byte of the first row to at least the last byte of the last row.
    package let pixels: UnsafeRawBufferPointer
    package let layout: Layout
    /// The size in pixels, 1...2³¹ - 1.
    package let width: Int
    package let height: Int
    /// The number of bytes from one row to the next.
    package let stride: Int
    /// The primaries and the transfer of the samples. The matrix is ignored, because samples are RGB; an unknown range
    /// is taken as full range.
    package var color: ColorDescription
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: ContentLightLevel?
    /// The luminance of 1.0 in linear light, in cd/m².
    package var referenceWhite: Double?
    package var pixelAspectRatio = PixelAspectRatio.square
    /// Whether the fourth component is no alpha, so that files get three components.
    package var ignoresAlpha = false
    /// The program that wrote the file, for its `Software` tag. Characters outside Latin-1 become question marks.
    package var software = "gst-hdr"

    /// - Parameters:
    ///   - pixels: the memory, which must stay valid and unchanged while the image is written.
    ///   - stride: the number of bytes from one row to the next, at least those of a row.
    /// - Throws: where a size is outside its range, or the rows do not lie within `pixels`.
    package init(
        pixels: UnsafeRawBufferPointer, layout: Layout, width: Int, height: Int, stride: Int,
        color: ColorDescription
    ) throws(StillError) {
        let sizes = 1...Int(Int32.max)
        guard sizes.contains(width), sizes.contains(height) else {
            throw StillError("the picture is \(width)x\(height); each side of a still has 1 to \(Int32.max) pixels")
        }
        let rowBytes = width * layout.bytesPerPixel
        guard stride >= rowBytes else {
            throw StillError("the stride of \(stride) bytes is below the \(rowBytes) bytes of a row")
        }
        let (span, overflows) = stride.multipliedReportingOverflow(by: height - 1)
        let (needed, alsoOverflows) = span.addingReportingOverflow(rowBytes)
        guard !overflows, !alsoOverflows, needed <= pixels.count else {
            throw StillError(
                "\(height) rows of \(stride) bytes do not lie within the \(pixels.count) bytes that were given")
        }
        self.pixels = pixels
        self.layout = layout
        self.width = width
        self.height = height
        self.stride = stride
        self.color = color
    }

    /// The number of components that a file stores for a pixel.
    var storedComponents: Int { ignoresAlpha ? 3 : layout.components }

    var isFullRange: Bool { color.isFullRange ?? true }

    /// The bytes of a row. `index` is below `height`.
    func row(_ index: Int) -> UnsafeRawBufferPointer {
        let start = index * stride
        return UnsafeRawBufferPointer(rebasing: pixels[start..<start + width * layout.bytesPerPixel])
    }

    /// `software` in Latin-1 without control characters, at most 255 bytes.
    var softwareBytes: [UInt8] {
        software.unicodeScalars.prefix(255).map { scalar in
            let value = scalar.value
            let isPrintable = (0x20...0x7E).contains(value) || (0xA1...0xFF).contains(value)
            return isPrintable ? UInt8(truncatingIfNeeded: value) : UInt8(ascii: "?")
        }
    }
}
