import CKernels
import HDRColor

/// The properties of a stream's pictures: the memory layout and the meaning of samples, and the chroma siting.
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

/// The type of floating-point numbers of linear light in memory.
package enum LightElement: CaseIterable, Sendable {
    /// binary16: 11 significant bits, up to 65504.
    case half
    /// 32-bit floats (binary32).
    case single

    /// The number of bytes of the four components of a pixel.
    package var bytesPerPixel: Int { self == .half ? 8 : 16 }
}

/// Rows of pixels in linear light with interleaved red, green, blue and alpha, borrowed for the length of a call.
package struct LightRows: @unchecked Sendable {
    /// The first byte of the first row, aligned to an element.
    package var data: UnsafeMutableRawPointer
    /// The number of bytes from one row to the next.
    package var stride: Int
    /// The range of rows in the picture.
    package var rows: Range<Int>

    package init(data: UnsafeMutableRawPointer, stride: Int, rows: Range<Int>) {
        self.data = data
        self.stride = stride
        self.rows = rows
    }

    /// The address of a row of the picture, or of the nearest one where it is not among these rows.
    @inline(__always) func row(_ y: Int) -> UnsafeMutableRawPointer {
        data + (min(max(y, rows.lowerBound), rows.upperBound &- 1) &- rows.lowerBound) &* stride
    }
}

/// Some pixels of a row in linear light, each component in a row of its own, which an effect changes in place. They are
/// few enough to stay in the first-level cache from one effect to the next.
package struct LightPixels: @unchecked Sendable {
    /// Rows are aligned to 64 bytes, and have writable memory up to the next multiple of 16 pixels.
    package let red: UnsafeMutablePointer<Float>
    package let green: UnsafeMutablePointer<Float>
    package let blue: UnsafeMutablePointer<Float>
    package let alpha: UnsafeMutablePointer<Float>
    /// The number of pixels, from 1 to 768.
    package let count: Int
    /// The column of the first pixel in the picture.
    package let column: Int
    package let row: Int
    /// Whether the pixels are in the requested rows, each of which is passed once. Other rows are passed because the
    /// chroma of the requested ones depends on them; they are passed again when they are requested themselves.
    package let isCounted: Bool
    /// The thread that they are processed in.
    package let thread: Int
    /// The form in which the pixels were decoded.
    var form: LightForm
    /// Where the pixels of even columns come first: the place of the first one of odd columns, from which on the others
    /// follow. `nil` where the pixels are in the order of their columns.
    package var oddPlace: Int? { form.isPaired ? form.oddPlace : nil }
    /// The number of columns that the pixels are from.
    package var columns: Int { form.columns }

    package init(
        red: UnsafeMutablePointer<Float>, green: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>,
        alpha: UnsafeMutablePointer<Float>, count: Int, column: Int, row: Int, isCounted: Bool = true, thread: Int = 0
    ) {

        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
        self.count = count
        self.column = column
        self.row = row
        self.isCounted = isCounted
        self.thread = thread
        form = LightForm(columns: count)
    }
}

/// The additional data about pixels for kernels.
struct LightForm {
    /// The number of columns in a row.
    let columns: Int
    /// Even columns come first, then odd ones: see `KernelLightInPairs`.
    var isPaired = false
    /// Whether light is in the source's primaries and in cd/m², without alpha.
    var isOfSource = false

    /// The number of pixels that are passed.
    @inline(__always) var count: Int { isPaired ? oddPlace &+ (columns &+ 1) / 2 : columns }

    /// The place of the first pixel of odd columns.
    @inline(__always) var oddPlace: Int { ((columns &+ 1) / 2 &+ 15) & ~15 }

    /// The form of decoded light, one of the values such as `KernelLightKept`.
    var purpose: Int32 {
        Int32((isOfSource ? KernelLightOfSource : KernelLightWritten) | (isPaired ? KernelLightInPairs : 0))
    }
}

extension LightPixels {
    /// The rows in the form for kernels.
    package var kernelRows: KernelLightRows {
        KernelLightRows(red: red, green: green, blue: blue, alpha: form.isOfSource ? nil : alpha)
    }
}

/// The rows of an interlaced picture that are converted.
package enum PictureField: Sendable {
    case whole, first, second

    /// Field 0 or 1.
    package init(_ parity: Int) { self = parity == 0 ? .first : .second }

    /// The row of the picture that is row `y` of the field.
    @inline(__always) package func row(_ y: Int) -> Int { self == .whole ? y : self == .first ? 2 &* y : 2 &* y &+ 1 }
}

/// A function of pixels.
package protocol LightEffect: AnyObject {
    /// Whether it may leave pixels unchanged, which then keep their codes. Detecting them takes time.
    var keepsPixels: Bool { get }
    /// The effect as a matrix and offsets for colour that is not premultiplied; `nil` where it has no such form.
    var affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)? { get }
    /// The effect in three parts, where it begins or ends with matrices: the matrices, and the effect between them.
    var parts: (before: Matrix3<Double>, middle: any LightEffect, after: Matrix3<Double>)? { get }
    /// Whether the result for a pixel does not depend on the pixels passed with it, nor on its position but as
    /// ``LightPixels/oddPlace`` tells. Pixels may then be passed in another order than that of their columns, and more
    /// of them than there are.
    var takesPairs: Bool { get }
    /// Whether it is the same for light in any primaries and any unit: it multiplies pixels with numbers up to 1, or
    /// mixes them with those of pictures of the same signal. Without alpha it may be passed light in the signal's
    /// primaries and in cd/m².
    var takesSignalLight: Bool { get }
    /// Called for some pixels of a row at a time, on several threads at once; must not allocate or lock.
    func apply(to pixels: LightPixels)
}

extension LightEffect {
    package var keepsPixels: Bool { true }
    package var takesPairs: Bool { false }
    package var takesSignalLight: Bool { false }
    package var affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)? { nil }
    package var parts: (before: Matrix3<Double>, middle: any LightEffect, after: Matrix3<Double>)? { nil }
}

/// A picture in linear light, premultiplied with alpha, each component in a plane of its own, borrowed for the length
/// of a call.
package struct LightPlanes: @unchecked Sendable {
    /// The first number of each plane. Rows are aligned to 64 bytes, and have writable memory up to the next multiple
    /// of 16 pixels.
    package var red: UnsafeMutablePointer<Float>
    package var green: UnsafeMutablePointer<Float>
    package var blue: UnsafeMutablePointer<Float>
    package var alpha: UnsafeMutablePointer<Float>
    /// The number of floats from one row of a plane to the next.
    package var stride: Int
    package var width: Int
    package var height: Int

    package init(
        red: UnsafeMutablePointer<Float>, green: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>,
        alpha: UnsafeMutablePointer<Float>, stride: Int, width: Int, height: Int
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
        self.stride = stride
        self.width = width
        self.height = height
    }

    /// The rows of one field.
    package func field(_ parity: Int) -> LightPlanes {
        let skip = parity * stride
        return LightPlanes(
            red: red + skip, green: green + skip, blue: blue + skip, alpha: alpha + skip, stride: 2 * stride,
            width: width, height: (height + 1 - parity) / 2)
    }

    /// Copies pixels from a row, or to it.
    @inline(__always) func exchange(
        _ pixels: (
            UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>,
            UnsafeMutablePointer<Float>
        ), row: Int, column: Int, count: Int, writes: Bool
    ) {
        let offset = min(max(row, 0), height &- 1) &* stride &+ column
        func exchange(_ plane: UnsafeMutablePointer<Float>, _ pixels: UnsafeMutablePointer<Float>) {
            if writes {
                (plane + offset).update(from: pixels, count: count)
            } else {
                pixels.update(from: plane + offset, count: count)
            }
        }
        exchange(red, pixels.0)
        exchange(green, pixels.1)
        exchange(blue, pixels.2)
        exchange(alpha, pixels.3)
    }
}

/// An effect on whole pictures, in which a pixel depends on others. It is made for pictures of one size, and keeps the
/// data that it needs between passes.
package protocol FrameEffect: AnyObject {
    /// The number of passes over the rows of a picture, 1 or more; each pass has ended in all rows before the next one
    /// begins.
    var passes: Int { get }

    /// Processes rows. The first pass reads `source`; the last one writes `target`, which is in other memory.
    ///
    /// Called for parts of a picture on several threads at once; must not allocate or lock.
    /// - Parameters:
    ///   - rows: the rows; each row is requested once in each pass.
    ///   - thread: 0 to the number of threads - 1; each runs one call after the other.
    func apply(pass: Int, _ source: LightPlanes, into target: LightPlanes, rows: Range<Int>, thread: Int)
}
