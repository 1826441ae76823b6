/// The pixels of a view that is not opaque, for surfaces of a protocol that has no masks: the view's part of the
/// picture, scaled to its place and multiplied by its coverage.
final class MaskedView {
    /// The maximum number of buffers for one view; a compositor that holds more does so by mistake.
    private static let memoryLimit = 4

    private var memories: [PictureMemory] = []
    private var nextToken = 0
    /// The place for which the coverage below was computed.
    private var place: Place?
    private var coverage: [Float] = []

    /// The pixels that are painted: a view, where it lies on the surface, and pixels of the window per unit of the
    /// surface.
    struct Place: Equatable {
        var view: View
        var placement: Placement
        var scale: Int

        var width: Int { Int(placement.width) * scale }
        var height: Int { Int(placement.height) * scale }
    }

    /// Paints a view into memory that the compositor has released.
    /// - Returns: `nil` where there is none, or the view is too large.
    func paint(
        _ new: Place, of picture: PictureMemory, _ configuration: PictureConfiguration, _ globals: Globals
    ) -> PictureMemory? {
        guard let (format, code) = Self.format(for: picture.format, of: globals.alphaCodes),
            let shm = globals.shm?.pointer
        else { return nil }
        var description = configuration.picture
        (description.width, description.height, description.format) = (new.width, new.height, format)
        memories.removeAll { !$0.fits(description) && $0.isFree }
        guard let target = memories.first(where: { $0.fits(description) && $0.isFree }) ?? add(description, code, shm)
        else { return nil }
        if place != new {
            place = new
            coverage = Self.coverage(new)
        }
        Self.paint(new, coverage, from: picture, into: target)
        return target
    }

    func destroy() {
        for memory in memories { memory.destroy() }
        memories = []
    }

    private func add(_ description: PictureDescription, _ code: UInt32, _ shm: OpaquePointer) -> PictureMemory? {
        guard memories.count < Self.memoryLimit,
            let memory = try? PictureMemory(description, code: code, token: nextToken, shm: shm)
        else { return nil }
        nextToken += 1
        memories.append(memory)
        return memory
    }

    /// A format with alpha for a picture in a format without. Half floats replace formats of 10 bits, which have only
    /// two bits of alpha; every compositor supports the last format.
    private static func format(
        for format: PictureFormat, of codes: [PictureFormat: UInt32]
    ) -> (PictureFormat, UInt32)? {
        let isDeep = format == .rgb10a2 || format == .bgr10a2
        let wanted: [PictureFormat] = (isDeep ? [.rgba16f] : []) + [format, .bgra8]
        return wanted.lazy.compactMap { format in codes[format].map { (format, $0) } }.first
    }

    private static func coverage(_ place: Place) -> [Float] {
        let (left, top) = (Int(place.placement.x) * place.scale, Int(place.placement.y) * place.scale)
        var coverage: [Float] = []
        coverage.reserveCapacity(place.width * place.height)
        for y in top..<top + place.height {
            for x in left..<left + place.width {
                coverage.append(Float(place.view.coverage(x: Double(x) + 0.5, y: Double(y) + 0.5)))
            }
        }
        return coverage
    }

    // MARK: Pixels

    /// Scales by a bilinear filter. Wayland multiplies codes by alpha, not light.
    private static func paint(
        _ place: Place, _ coverage: [Float], from picture: PictureMemory, into target: PictureMemory
    ) {
        let placement = place.placement
        let columns = taps(placement.sourceX, placement.sourceWidth, place.width, within: picture.width)
        let rows = taps(placement.sourceY, placement.sourceHeight, place.height, within: picture.height)
        let pixel = picture.format.bytesPerPixel
        func scaled(_ row: Int, _ colors: inout [SIMD4<Float>]) {
            let line = UnsafeRawPointer(picture.base + row * picture.stride)
            for (column, tap) in columns.enumerated() {
                let first = picture.format.read(line + tap.first * pixel)
                let second = picture.format.read(line + tap.second * pixel)
                colors[column] = first + (second - first) * tap.share
            }
        }
        let black = [SIMD4<Float>](repeating: SIMD4(), count: place.width)
        var (upper, lower) = ((row: -1, colors: black), (row: -1, colors: black))
        let targetPixel = target.format.bytesPerPixel
        for (y, tap) in rows.enumerated() {
            if upper.row != tap.first, lower.row == tap.first { swap(&upper, &lower) }
            if upper.row != tap.first {
                scaled(tap.first, &upper.colors)
                upper.row = tap.first
            }
            if lower.row != tap.second {
                scaled(tap.second, &lower.colors)
                lower.row = tap.second
            }
            let line = target.base + y * target.stride
            for x in 0..<place.width {
                let color = upper.colors[x] + (lower.colors[x] - upper.colors[x]) * tap.share
                let alpha = Self.alpha(coverage[y * place.width + x], target.format, x, y)
                target.format.write(color * alpha, to: line + x * targetPixel)
            }
        }
    }

    /// For each pixel along one axis, the two pixels of the picture that it lies between, and the weight of the second
    /// one.
    /// - Parameters:
    ///   - start, length: the part of the picture, in 24.8 fixed point.
    private static func taps(
        _ start: Int32, _ length: Int32, _ count: Int, within limit: Int
    ) -> [(first: Int, second: Int, share: Float)] {
        (0..<count).map { index in
            let position = (Double(start) + (Double(index) + 0.5) / Double(count) * Double(length)) / 256 - 0.5
            let inside = min(max(position, 0), Double(limit - 1))
            let first = Int(inside)
            return (first, min(first + 1, limit - 1), Float(inside - Double(first)))
        }
    }

    /// A coverage that the format's alpha can express. Two bits are dithered.
    private static func alpha(_ coverage: Float, _ format: PictureFormat, _ x: Int, _ y: Int) -> Float {
        guard format == .rgb10a2 || format == .bgr10a2 else { return coverage }
        return (coverage * 3 + bayer[(y & 3) * 4 + (x & 3)]).rounded(.down) / 3
    }

    /// Thresholds of ordered dither, 4 by 4, between 0 and 1.
    private static let bayer: [Float] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map { ($0 + 0.5) / 16 }
}
