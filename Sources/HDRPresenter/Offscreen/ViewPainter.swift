import HDRColor

/// Paints the views of a picture into a window in memory, as a display does: each pixel is the nearest one of the
/// picture. What a view does not hide shows through in linear light.
public struct ViewPainter: Sendable {
    public let width: Int
    public let height: Int
    private let views: [View]

    /// The maximum side of a window, in pixels.
    private static let limit = 32_767.0

    /// - Returns: `nil` if the window shows exactly the picture, or is empty.
    public init?(_ views: [View], of picture: PictureDescription) {
        let views = views.filter { $0.destination.width >= 1 && $0.destination.height >= 1 }
        let right = views.map { $0.destination.x + $0.destination.width }.max() ?? 0
        let bottom = views.map { $0.destination.y + $0.destination.height }.max() ?? 0
        guard right >= 1, bottom >= 1, right <= Self.limit, bottom <= Self.limit else { return nil }
        let whole = View.Rectangle(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height))
        if views.count == 1, views[0].isOpaque, views[0].source == whole, views[0].destination == whole { return nil }
        self.views = views
        width = Int(right.rounded(.up))
        height = Int(bottom.rounded(.up))
    }

    /// - Parameter target: `height` rows of `width` pixels without gaps, all zero.
    public func paint(_ picture: PresenterBuffer, into target: UnsafeMutableRawPointer) {
        let format = picture.description.format
        let pixel = format.bytesPerPixel
        let transfer = picture.description.encoding.transfer
        for view in views {
            let (s, d) = (view.source, view.destination)
            let columns = Self.places(d.x, d.width, s.x, s.width, picture.description.width, width)
            for (y, from) in Self.places(d.y, d.height, s.y, s.height, picture.description.height, height) {
                for (x, column) in columns {
                    let (place, source) = (
                        target + (y * width + x) * pixel, picture.memory + from * picture.stride + column * pixel
                    )
                    let coverage =
                        view.isOpaque ? 1 : Float(view.coverage(x: Double(x) + 0.5, y: Double(y) + 0.5))
                    if coverage == 1 {
                        place.copyMemory(from: source, byteCount: pixel)
                    } else if coverage > 0 {
                        let above = transfer.light(format.read(source)) * coverage
                        let below = transfer.light(format.read(place)) * (1 - coverage)
                        var color = transfer.codes(above + below)
                        color.w = 1
                        format.write(color, to: place)
                    }
                }
            }
        }
    }

    /// The window's pixels along one axis, each with the picture's pixel that it shows.
    private static func places(
        _ start: Double, _ length: Double, _ source: Double, _ sourceLength: Double, _ count: Int, _ limit: Int
    ) -> [(Int, Int)] {
        // Rectangles may lie anywhere. What is not a number is in no order, and so at 0.
        let (low, high) = (start.rounded(), (start + length).rounded())
        guard low < Double(limit), high > 0, low < high else { return [] }
        return (Int(max(low, 0))..<Int(min(high, Double(limit)))).map { place in
            let at = (source + (Double(place) + 0.5 - start) / length * sourceLength).rounded(.down)
            return (place, at > 0 ? Int(min(at, Double(count - 1))) : 0)
        }
    }
}

/// Light for blending, on any scale.
extension PictureEncoding.Transfer {
    fileprivate func light(_ codes: SIMD4<Float>) -> SIMD4<Float> {
        switch self {
        case .extendedLinear: codes
        case .pq: SIMD4(PQ.eotf(codes.x), PQ.eotf(codes.y), PQ.eotf(codes.z), 0)
        case .sRGB: SIMD4(SDR.sRGB(codes.x), SDR.sRGB(codes.y), SDR.sRGB(codes.z), 0)
        }
    }

    fileprivate func codes(_ light: SIMD4<Float>) -> SIMD4<Float> {
        switch self {
        case .extendedLinear: light
        case .pq: SIMD4(PQ.inverseEOTF(light.x), PQ.inverseEOTF(light.y), PQ.inverseEOTF(light.z), 0)
        case .sRGB: SIMD4(SDR.inverseSRGB(light.x), SDR.inverseSRGB(light.y), SDR.inverseSRGB(light.z), 0)
        }
    }
}
