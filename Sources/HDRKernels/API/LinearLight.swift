import HDRColor

/// Pictures of a stream: how samples lie in memory, what they mean, and where chroma lies.
package struct StreamSignal: Equatable, Sendable {
    package var layout: PixelLayout
    package var color: ColorSignal
    package var siting: ChromaSiting

    package init(layout: PixelLayout, color: ColorSignal, siting: ChromaSiting) {
        self.layout = layout
        self.color = color
        self.siting = siting
    }
}

/// Floating-point numbers of linear light in memory.
package enum LightElement: CaseIterable, Sendable {
    /// binary16: 11 significant bits, up to 65504.
    case half
    /// binary32.
    case single

    /// Of the four components of a pixel.
    package var bytesPerPixel: Int { self == .half ? 8 : 16 }
}

/// Rows of pixels in linear light, red, green, blue and alpha in turn, borrowed for the length of a call.
package struct LightRows: @unchecked Sendable {
    /// The first byte of the first row, aligned to an element.
    package var data: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    package var stride: Int
    /// Which rows of the picture they are.
    package var rows: Range<Int>

    package init(data: UnsafeMutableRawPointer, stride: Int, rows: Range<Int>) {
        self.data = data
        self.stride = stride
        self.rows = rows
    }

    /// A row of the picture; the nearest one where it is not among these.
    @inline(__always) func row(_ y: Int) -> UnsafeMutableRawPointer {
        data + (min(max(y, rows.lowerBound), rows.upperBound &- 1) &- rows.lowerBound) &* stride
    }
}

/// Some pixels of a row in linear light, each component in a row of its own, which an effect changes in place. They are
/// few enough to stay in the first-level cache from one effect to the next.
package struct LightPixels: @unchecked Sendable {
    /// Aligned to 64 bytes; up to the next multiple of 16 pixels there is memory that may be written.
    package let red: UnsafeMutablePointer<Float>
    package let green: UnsafeMutablePointer<Float>
    package let blue: UnsafeMutablePointer<Float>
    package let alpha: UnsafeMutablePointer<Float>
    /// How many there are, 1 to 768.
    package let count: Int
    /// Where the first one is in the picture, or in the field of an interlaced one.
    package let column: Int
    package let row: Int
    /// Whether they are among the rows that were asked for, each of which is handed out once: others are needed for the
    /// chroma of these, and are handed out again with their own.
    package let isCounted: Bool
    /// The thread that they are processed in.
    package let thread: Int
}

/// A function of pixels.
package protocol LightEffect: AnyObject {
    /// Called for some pixels of a row at a time, on several threads at once; must not allocate or lock.
    func apply(to pixels: LightPixels)
}
