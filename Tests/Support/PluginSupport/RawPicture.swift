import Foundation
import TestSupport

/// A picture in one of GStreamer's planar YUV layouts, as a file without headers.
///
/// Rows and planes are laid out as GStreamer lays them out by default; what pads a row is garbage on purpose.
package struct RawPicture {
    /// Size and subsampling of each plane, and samples of how many bytes and bits.
    package struct Layout {
        package let name: String
        package let bits: Int
        /// Shifts from luma to chroma sizes.
        package let horizontal: Int
        package let vertical: Int
        /// Chroma planes; 1 where Cb and Cr take turns in one.
        package var chromaPlanes = 2
        /// Planes have an even number of rows, seen or not.
        package var evenRows = false

        package var bytes: Int { bits > 8 ? 2 : 1 }
        package var parserName: String { name.lowercased().replacingOccurrences(of: "_", with: "-") }
        /// The code of chroma without colour.
        package var neutral: Int { 1 << (bits - 1) }
    }

    package static let layouts = [
        Layout(name: "I420", bits: 8, horizontal: 1, vertical: 1, evenRows: true),
        Layout(name: "NV12", bits: 8, horizontal: 1, vertical: 1, chromaPlanes: 1, evenRows: true),
        Layout(name: "Y42B", bits: 8, horizontal: 1, vertical: 0),
        Layout(name: "I420_10LE", bits: 10, horizontal: 1, vertical: 1, evenRows: true),
        Layout(name: "I422_10LE", bits: 10, horizontal: 1, vertical: 0, evenRows: true),
        Layout(name: "Y444_10LE", bits: 10, horizontal: 0, vertical: 0),
    ]

    package static func layout(_ name: String) -> Layout { layouts.first { $0.name == name }! }

    package let layout: Layout
    package let width: Int
    package let height: Int

    package init(_ format: String, width: Int, height: Int) {
        layout = Self.layout(format)
        self.width = width
        self.height = height
    }

    private struct Plane {
        let offset: Int
        let stride: Int
        let samples: Int
        let rows: Int
        let isLuma: Bool
    }

    private static func roundUp(_ value: Int, to unit: Int) -> Int { (value + unit - 1) / unit * unit }

    private var planes: [Plane] {
        let columns = layout.horizontal > 0 ? Self.roundUp(width, to: 2) : width
        let rows = layout.evenRows ? Self.roundUp(height, to: 2) : height
        let pairs = layout.chromaPlanes == 1 ? 2 : 1
        var result = [
            Plane(
                offset: 0, stride: Self.roundUp(columns * layout.bytes, to: 4), samples: width, rows: height,
                isLuma: true)
        ]
        var offset = result[0].stride * rows
        for _ in 0..<layout.chromaPlanes {
            let stride = Self.roundUp((columns >> layout.horizontal) * pairs * layout.bytes, to: 4)
            let samples = ((width + (1 << layout.horizontal) - 1) >> layout.horizontal) * pairs
            let lines = rows >> layout.vertical
            let visible = (height + (1 << layout.vertical) - 1) >> layout.vertical
            result.append(Plane(offset: offset, stride: stride, samples: samples, rows: visible, isLuma: false))
            offset += stride * lines
        }
        return result
    }

    /// The number of bytes of a picture.
    package var size: Int {
        let last = planes[planes.count - 1]
        let rows = layout.evenRows ? Self.roundUp(height, to: 2) : height
        return last.offset + last.stride * (rows >> layout.vertical)
    }

    /// The bytes of a picture of one grey.
    package func bytes(luma: Int) -> Data {
        var bytes = [UInt8](repeating: 0xEB, count: size)
        for plane in planes {
            let code = plane.isLuma ? luma : layout.neutral
            for row in 0..<plane.rows {
                let start = plane.offset + row * plane.stride
                for sample in 0..<plane.samples {
                    bytes[start + sample * layout.bytes] = UInt8(truncatingIfNeeded: code)
                    if layout.bytes == 2 { bytes[start + sample * 2 + 1] = UInt8(code >> 8) }
                }
            }
        }
        return Data(bytes)
    }

    /// The smallest and largest code of luma and of chroma.
    package func codes(in data: Data) throws -> (luma: ClosedRange<Int>, chroma: ClosedRange<Int>) {
        guard data.count == size else {
            throw TestFailure("\(layout.name) \(width)x\(height) has \(data.count) bytes in place of \(size)")
        }
        var lowest = [Int.max, Int.max]
        var highest = [Int.min, Int.min]
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            for plane in planes {
                let kind = plane.isLuma ? 0 : 1
                for row in 0..<plane.rows {
                    let start = plane.offset + row * plane.stride
                    for sample in 0..<plane.samples {
                        let at = start + sample * layout.bytes
                        let code = layout.bytes == 2 ? Int(bytes[at]) | Int(bytes[at + 1]) << 8 : Int(bytes[at])
                        if code < lowest[kind] { lowest[kind] = code }
                        if code > highest[kind] { highest[kind] = code }
                    }
                }
            }
        }
        return (lowest[0]...highest[0], lowest[1]...highest[1])
    }

    /// The bytes that are seen, without what pads the rows.
    package func visible(in data: Data) -> [UInt8] {
        let bytes = [UInt8](data)
        return planes.flatMap { plane in
            (0..<plane.rows).flatMap { row in
                let start = plane.offset + row * plane.stride
                return bytes[start..<start + plane.samples * layout.bytes]
            }
        }
    }
}
