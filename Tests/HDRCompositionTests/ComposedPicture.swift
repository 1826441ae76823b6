import Glibc
import HDRColor
import TestSupport

@testable import HDRComposition
@testable import HDRKernels

/// A picture of a format in memory of its own.
final class ComposedPicture: @unchecked Sendable {
    let stream: StreamSignal
    let width: Int
    let height: Int
    let view: FrameView
    private let planes: [(data: UnsafeMutableRawPointer, bytes: Int)]

    init(_ stream: StreamSignal, _ width: Int, _ height: Int) {
        (self.stream, self.width, self.height) = (stream, width, height)
        var views: [FrameView.Plane] = []
        var planes: [(UnsafeMutableRawPointer, Int)] = []
        for plane in 0..<4 {
            let (bytes, rows) = stream.layout.content(ofPlane: plane, width: width, height: height)
            guard bytes > 0, rows > 0 else { break }
            let stride = (bytes + 63) / 64 * 64 + 64
            let memory = UnsafeMutableRawPointer.allocate(byteCount: stride * rows, alignment: 64)
            memset(memory, 0, stride * rows)
            planes.append((memory, stride * rows))
            views.append(FrameView.Plane(data: memory, stride: stride))
        }
        self.planes = planes
        view = FrameView(width: width, height: height, planes: views)!
    }

    deinit { for plane in planes { plane.data.deallocate() } }

    /// Coloured noise over a gradient, within what the signal holds.
    func fill(_ random: inout SeededGenerator) {
        let light = LightPicture(width: width, height: height)!
        let peak: Float = stream.color.transfer.isHDR ? 4 : 1
        for y in 0..<height {
            for x in 0..<width {
                var pixel = LightPixel.zero
                for channel in 0..<3 {
                    pixel[channel] = peak * Float(random.below(1000)) / 999 * Float(random.below(1000)) / 999
                }
                pixel.w = stream.layout.hasAlpha ? Float(random.below(256)) / 255 : 1
                light.row(y)[x] = LightPixel(pixel.x * pixel.w, pixel.y * pixel.w, pixel.z * pixel.w, pixel.w)
            }
        }
        encode(light)
    }

    /// Colours that change so slowly that chroma keeps its codes where it is interpolated and filtered again.
    func fillSmoothly(_ random: inout SeededGenerator) {
        let light = LightPicture(width: width, height: height)!
        let phases = (0..<3).map { _ in Double(random.below(628)) / 100 }
        for y in 0..<height {
            for x in 0..<width {
                var pixel = LightPixel(0, 0, 0, 1)
                for channel in 0..<3 {
                    let wave = sin(phases[channel] + Double(x) / 300 + Double(y) / 400)
                    pixel[channel] = Float(0.4 + 0.15 * wave)
                }
                light.row(y)[x] = pixel
            }
        }
        encode(light)
    }

    /// Encodes by the definition in double precision.
    func encode(_ light: LightPicture) {
        definition(stream).encode(light.rows(0..<height), into: view, rows: 0..<height, thread: 0)
    }

    /// Its light on a canvas.
    func decoded(on canvas: StreamSignal) -> LightPicture {
        let light = LightPicture(width: width, height: height)!
        definition(canvas).decode(view, rows: 0..<height, into: light.rows(0..<height), thread: 0)
        return light
    }

    private func definition(_ canvas: StreamSignal) -> LinearLightConverter {
        LinearLightConverter.definition(source: stream, width: width, options: Self.options(canvas))!
    }

    static func options(_ canvas: StreamSignal) -> LinearLightConverter.Options {
        var options = LinearLightConverter.Options()
        options.element = .single
        options.primaries = canvas.color.primaries
        options.isExact = canvas.layout.bits > 12
        options.dither = .none
        return options
    }

    /// The largest difference of two pictures' samples, in codes: of formats whose samples are whole words, or three
    /// of 10 bits and one of 2. Next to black, single precision's rounding of a sum of 1 is some codes of PQ in
    /// 12 bits.
    func difference(from other: ComposedPicture) -> Int {
        var largest = 0
        for (own, others) in zip(planes, other.planes) {
            if case .packed1010102 = stream.layout.packing {
                largest = max(largest, differenceOfPacked(own.data, others.data, own.bytes / 4))
            } else if stream.layout.bits > 8 {
                largest = max(largest, difference(own.data, others.data, own.bytes / 2, UInt16.self))
            } else {
                largest = max(largest, difference(own.data, others.data, own.bytes, UInt8.self))
            }
        }
        return largest
    }

    private func differenceOfPacked(
        _ a: UnsafeMutableRawPointer, _ b: UnsafeMutableRawPointer, _ count: Int
    ) -> Int {
        let (a, b) = (a.assumingMemoryBound(to: UInt32.self), b.assumingMemoryBound(to: UInt32.self))
        return (0..<4 * count).map { index in
            let (word, shift) = (index / 4, index % 4 * 10)
            let mask: UInt32 = shift == 30 ? 3 : 1023
            return abs(Int(a[word] >> shift & mask) - Int(b[word] >> shift & mask))
        }.max() ?? 0
    }

    private func difference<Word: FixedWidthInteger>(
        _ a: UnsafeMutableRawPointer, _ b: UnsafeMutableRawPointer, _ count: Int, _ type: Word.Type
    ) -> Int {
        let (a, b) = (a.assumingMemoryBound(to: type), b.assumingMemoryBound(to: type))
        let isPQ12 = stream.layout.isRGB && stream.layout.bits == 12 && stream.color.transfer == .pq
        return (0..<count).map { index in
            isPQ12 && max(a[index], b[index]) <= 16 ? 0 : abs(Int(a[index]) - Int(b[index]))
        }.max() ?? 0
    }
}
