import HDRColor
import Testing

@testable import HDRPresenter

/// The shape and the opacity of views, and how the offscreen display blends them.
@Suite struct ViewCoverageTests {
    static func view(
        _ width: Double = 60, _ height: Double = 40, mask: View.Mask = .none, opacity: Double = 1, feather: Double = 0
    ) -> View {
        let place = View.Rectangle(x: 10, y: 20, width: width, height: height)
        return View(source: place, destination: place, mask: mask, opacity: opacity, feather: feather)
    }

    private func sum(_ view: View) -> Double {
        var sum = 0.0
        let d = view.destination
        for y in 0..<Int(d.height) {
            for x in 0..<Int(d.width) { sum += view.coverage(x: d.x + Double(x) + 0.5, y: d.y + Double(y) + 0.5) }
        }
        return sum
    }

    @Test func aPlainViewHidesAll() {
        #expect(Self.view().isOpaque && sum(Self.view()) == 2400)
        #expect(!Self.view(opacity: 0.9).isOpaque && !Self.view(feather: 0.1).isOpaque)
        #expect(abs(sum(Self.view(opacity: 0.25)) - 600) < 1e-9)
    }

    /// The area of an ellipse is pi / 4 of its rectangle's.
    @Test(arguments: [(60.0, 40.0), (200.0, 200.0), (33.0, 120.0)])
    func anEllipseHasItsArea(width: Double, height: Double) {
        let view = Self.view(width, height, mask: .ellipse)
        #expect(abs(sum(view) / (width * height) - .pi / 4) < 2e-3)
        let (x, y) = (view.destination.x, view.destination.y)
        #expect(view.coverage(x: x + width / 2, y: y + height / 2) == 1)
        #expect(view.coverage(x: x + 1, y: y + 1) == 0)
        for (column, row) in [(0, height / 2), (width, height / 2), (width / 2, 0), (width / 2, height)] {
            #expect(abs(view.coverage(x: x + column, y: y + row) - 0.5) < 1e-9)
        }
    }

    /// Coverage rises from 0 at the outline to 1 at the feather's width, without a step.
    @Test(arguments: [View.Mask.none, .ellipse])
    func aFeatheredEdgeRises(mask: View.Mask) {
        let view = Self.view(200, 100, mask: mask, opacity: 0.8, feather: 0.5)
        var last = 0.0
        for step in 1...200 {
            let now = view.coverage(x: 110, y: 20 + Double(step) / 4)
            #expect(now >= last && now - last < 0.02)
            last = now
        }
        #expect(last == 0.8)
        #expect(abs(view.coverage(x: 110, y: 20 + 12.5) - 0.4) < 0.01)
        #expect(abs(view.coverage(x: 110, y: 20 + 25) - 0.8) < 1e-9)
    }

    static let encodings: [(PictureFormat, PictureEncoding)] = [
        (.rgba16f, .init(.extendedLinear, .displayP3)), (.rgb10a2, .init(.pq, .bt2020)),
        (.bgr10a2, .init(.sRGB, .sRGB)), (.rgba8, .init(.sRGB, .sRGB)), (.bgra8, .init(.sRGB, .sRGB)),
    ]

    /// Pixels are read from memory as they were written, with each component in its place.
    @Test(arguments: PictureFormat.allCases)
    func pixelsComeBack(format: PictureFormat) {
        var memory: UInt64 = 0
        withUnsafeMutableBytes(of: &memory) { bytes in
            let pixel = bytes.baseAddress!
            let color = SIMD4<Float>(1, 0.25, 0, 1)
            format.write(color, to: pixel)
            let near = format.read(pixel)
            #expect(abs(near.x - 1) < 1e-6 && abs(near.y - 0.25) < 0.003 && near.z == 0 && near.w == 1)
            format.write(SIMD4(.nan, -1, .infinity, 1), to: pixel)
        }
    }

    /// A view of half the opacity lets half of the light below through, and black where there is nothing.
    @Test(arguments: encodings)
    func lightIsBlended(format: PictureFormat, encoding: PictureEncoding) throws {
        let description = PictureDescription(width: 4, height: 2, format: format, encoding: encoding, contentPeak: 1000)
        let size = format.bytesPerPixel
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 * size, alignment: 16)
        let target = UnsafeMutableRawPointer.allocate(byteCount: 8 * size, alignment: 16)
        defer {
            memory.deallocate()
            target.deallocate()
        }
        target.initializeMemory(as: UInt8.self, repeating: 0, count: 8 * size)
        // The left half is 0.5, the right half 0.75.
        for pixel in 0..<8 {
            let code: Float = pixel % 4 < 2 ? 0.5 : 0.75
            format.write(SIMD4(code, code, code, 1), to: memory + pixel * size)
        }
        let picture = PresenterBuffer(description: description, memory: memory, stride: 4 * size, token: 0)
        let left = View.Rectangle(x: 0, y: 0, width: 2, height: 2)
        let right = View.Rectangle(x: 2, y: 0, width: 2, height: 2)
        let views = [View(source: left, destination: left), View(source: right, destination: left, opacity: 0.5)]
        let painter = try #require(ViewPainter(views, of: description))
        painter.paint(picture, into: target)

        func light(_ code: Float) -> Double {
            switch encoding.transfer {
            case .extendedLinear: Double(code)
            case .pq: PQ.eotf(Double(code))
            case .sRGB: SDR.sRGB(Double(code))
            }
        }
        let codes = (format.read(memory).x, format.read(memory + 2 * size).x)
        let wanted = (light(codes.0) + light(codes.1)) / 2
        for place in 0..<2 {
            let seen = format.read(target + place * size)
            #expect(abs(light(seen.x) / wanted - 1) < 0.012, "\(light(seen.x)) for \(wanted)")
            #expect(seen.x == seen.y && seen.y == seen.z)
        }
        // Above nothing a view fades to black.
        target.initializeMemory(as: UInt8.self, repeating: 0, count: 8 * size)
        let alone = try #require(ViewPainter([View(source: right, destination: left, opacity: 0.5)], of: description))
        alone.paint(picture, into: target)
        #expect(abs(light(format.read(target).x) / (light(codes.1) / 2) - 1) < 0.02)
    }
}
