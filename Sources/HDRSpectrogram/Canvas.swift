import Glibc

/// A picture of 8-bit RGB that lines and images are drawn on.
package struct Canvas {
    package struct Color: Equatable, Sendable {
        package var red, green, blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    package let width: Int
    package let height: Int
    /// The pixels row by row, red first, without gaps.
    package private(set) var pixels: [UInt8]

    /// A white canvas.
    package init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        pixels = [UInt8](repeating: 255, count: 3 * width * height)
    }

    package subscript(x: Int, y: Int) -> Color {
        get {
            guard let at = index(x, y) else { return Color(255, 255, 255) }
            return Color(pixels[at], pixels[at + 1], pixels[at + 2])
        }
        set {
            guard let at = index(x, y) else { return }
            (pixels[at], pixels[at + 1], pixels[at + 2]) = (newValue.red, newValue.green, newValue.blue)
        }
    }

    private func index(_ x: Int, _ y: Int) -> Int? {
        x >= 0 && y >= 0 && x < width && y < height ? 3 * (y * width + x) : nil
    }

    /// Blends a colour over a pixel.
    /// - Parameter opacity: 0 to 1.
    package mutating func blend(_ color: Color, _ opacity: Double, x: Int, y: Int) {
        let (under, share) = (self[x, y], min(max(opacity, 0), 1))
        func mix(_ under: UInt8, _ over: UInt8) -> UInt8 {
            UInt8((Double(under) + (Double(over) - Double(under)) * share).rounded())
        }
        self[x, y] = Color(
            mix(under.red, color.red), mix(under.green, color.green), mix(under.blue, color.blue))
    }

    mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: Color) {
        for row in y..<y + max(height, 0) { for column in x..<x + max(width, 0) { self[column, row] = color } }
    }

    /// Draws a dashed line with smooth edges from the left to the right of a frame, 8 pixels long with gaps of 6.
    /// - Parameters:
    ///   - frame: the pixels that may be changed.
    ///   - ends: the line's heights at the frame's left and right edges.
    ///   - thickness: the thickness in pixels.
    mutating func dash(
        _ frame: (x: Range<Int>, y: Range<Int>), _ ends: (left: Double, right: Double), _ color: Color, opacity: Double,
        thickness: Double
    ) {
        let (on, period) = (8.0, 14.0)
        let slope = (ends.right - ends.left) / Double(max(frame.x.count, 1))
        let length = (1 + slope * slope).squareRoot()
        guard length.isFinite else { return }
        for x in frame.x {
            let along = Double(x - frame.x.lowerBound) + 0.5
            let center = ends.left + slope * along
            // The largest vertical distance from the line of a pixel at its edge.
            let reach = (thickness / 2 + 1) * length
            let rows = Int(max(center - reach, Double(frame.y.lowerBound)))
            let end = Int(min(center + reach + 1, Double(frame.y.upperBound)))
            for y in rows..<max(end, rows) {
                let rise = Double(y) + 0.5 - center
                let across = abs(rise) / length
                // The point on the line that is nearest to the pixel.
                let place = along * length + rise * slope / length
                let phase = place - period * (place / period).rounded(.down)
                let inside = phase < on ? min(phase, on - phase) : -min(phase - on, period - phase)
                let coverage = min(max(thickness / 2 + 0.5 - across, 0), 1) * min(max(inside + 0.5, 0), 1)
                if coverage > 0 { blend(color, opacity * coverage, x: x, y: y) }
            }
        }
    }
}
