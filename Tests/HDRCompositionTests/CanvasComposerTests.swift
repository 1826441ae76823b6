import Glibc
import HDRColor
import TestSupport
import Testing

@testable import HDRComposition
@testable import HDRKernels

/// Canvases beside a composition in double precision, pixel by pixel.
@Suite struct CanvasComposerTests {
    static let formats = [
        "I420", "I420_10LE", "I422_10LE", "Y444_12LE", "Y444_16LE", "RGBA", "RGB", "AYUV", "A420", "A420_10LE",
        "A444_10LE", "GBRA_12LE", "RGBA64_LE", "NV12", "GRAY8", "BGRA", "ARGB", "ABGR", "VUYA", "AYUV64", "GBRA",
        "GBRA_10LE", "ARGB64_LE", "BGRA64_LE", "ABGR64_LE", "RGB10A2_LE", "A422_10LE",
    ]

    static func stream(_ format: String, _ transfer: Transfer) -> StreamSignal {
        let layout = PixelLayout.byName[format]!
        let primaries: Primaries = transfer.isHDR ? .bt2020 : .bt709
        let matrix: YCbCrMatrix? = layout.isRGB ? nil : transfer.isHDR ? .bt2020 : .bt709
        let color = ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: Quantization(bits: layout.bits, fullRange: layout.isRGB, matrix: matrix))
        return StreamSignal(layout: layout, color: color, siting: transfer.isHDR ? .topLeft : .left)
    }

    struct Wipe {
        let shape: WipeShape
        let progress: Double
        let softness: Double
        let isReversed: Bool

        /// The share of a place that is shown, by the definition.
        func share(_ x: Int, _ y: Int, of place: PixelRect) -> Double {
            let width = max(softness, 1 / Double(max(place.width, place.height)))
            var order = shape.order(
                Double(x - place.x) + 0.5, Double(y - place.y) + 0.5, Double(place.width), Double(place.height))
            if isReversed { order = 1 - order }
            return min(max((progress * (1 + width) - order) / width, 0), 1)
        }
    }

    struct Layer {
        let picture: ComposedPicture
        let placement: LayerPlacement
        let blend: BlendOperator
        let opacity: Double
        var orientation = LayerOrientation.identity
        var wipe: Wipe?

        var part: PixelRect {
            let size = orientation.size(picture.width, picture.height)
            return placement.visiblePart(ofWidth: size.width, height: size.height)
        }

        func canvasLayer(_ canvas: StreamSignal, _ width: Int, _ height: Int, threads: Int) -> CanvasLayer {
            let converter = LinearLightConverter(
                source: picture.stream, width: picture.width, options: ComposedPicture.options(canvas),
                threads: threads)!
            let place = placement.place(part)
            let reach = place.cut(toWidth: width, height: height)
            let wipe = wipe.flatMap { wipe in
                LumaMap(wipe.shape, isReversed: wipe.isReversed, place: place, reach: reach) { count, body in
                    for slice in 0..<count { body(slice, 0) }
                }.map { LayerWipe($0, progress: wipe.progress, softness: wipe.softness) }
            }
            return CanvasLayer(
                frame: picture.view, converter: converter, orientation: orientation, part: part, place: place,
                blend: blend, opacity: opacity, wipe: wipe)
        }
    }

    /// Threads by turns: slices in any order.
    static func composed(
        _ layers: [Layer], on background: CanvasBackground, in space: BlendSpace = .linear, _ stream: StreamSignal,
        _ width: Int, _ height: Int, kernel: ResamplingFilter.Kernel, threads: Int
    ) throws -> ComposedPicture {
        let made = ComposedPicture(stream, width, height)
        let target = LinearLightConverter(
            source: stream, width: width, options: ComposedPicture.options(stream), threads: threads)!
        let composer = CanvasComposer(target: target, height: height, threads: threads)!
        try composer.compose(
            layers.map { $0.canvasLayer(stream, width, height, threads: threads) }, on: background, in: space,
            into: made.view, kernel: kernel
        ) { count, body in
            for slice in (0..<count).reversed() { body(slice, slice % threads) }
        }
        return made
    }

    // MARK: The reference

    private static func kernel(_ kind: ResamplingFilter.Kernel, _ x: Double) -> Double {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        switch kind {
        case .bilinear: return max(0, 1 - abs(x))
        case .lanczos: return abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
        }
    }

    /// Weights of all samples of a row for one that is scaled.
    private static func weights(
        _ kind: ResamplingFilter.Kernel, _ source: Int, _ target: Int, _ at: Int
    ) -> [Double] {
        let ratio = Double(source) / Double(target)
        let center = (Double(at) + 0.5) * ratio - 0.5
        var all = [Double](repeating: 0, count: source)
        let reach = Int(4 * max(ratio, 1)) + 4
        for index in (Int(center) - reach)...(Int(center) + reach) {
            all[min(max(index, 0), source - 1)] += kernel(kind, (Double(index) - center) / max(ratio, 1))
        }
        let sum = all.reduce(0, +)
        return all.map { $0 / sum }
    }

    /// The light of a layer where it lies on the canvas, `nil` elsewhere.
    private static func scaled(
        _ layer: Layer, _ kind: ResamplingFilter.Kernel, on canvas: StreamSignal
    ) -> (Int, Int) -> SIMD4<Double>? {
        let stored = layer.picture.decoded(on: canvas)
        func light(_ column: Int, _ row: Int) -> SIMD4<Double> {
            let turned = layer.orientation
            let (x, y) = turned.isTransposed ? (row, column) : (column, row)
            return SIMD4<Double>(
                stored.row(turned.mirrorsRows ? stored.height - 1 - y : y)[
                    turned.mirrorsColumns ? stored.width - 1 - x : x])
        }
        let part = layer.part
        let place = layer.placement.place(part)
        return { x, y in
            guard !place.isEmpty, place.columns.contains(x), place.rows.contains(y) else { return nil }
            let (left, top) = (x - place.x, y - place.y)
            if part.width == place.width && part.height == place.height {
                return light(left + part.x, top + part.y)
            }
            let across = weights(kind, part.width, place.width, left)
            let down = weights(kind, part.height, place.height, top)
            var sum = SIMD4<Double>.zero
            for row in 0..<part.height where down[row] != 0 {
                for column in 0..<part.width where across[column] != 0 {
                    sum += light(part.x + column, part.y + row) * (across[column] * down[row])
                }
            }
            sum.w = min(max(sum.w, 0), 1)
            return sum
        }
    }

    /// A premultiplied pixel's signal on a canvas, and back; HLG's with the OOTF of a display of 1000 cd/m².
    private static func signal(_ pixel: SIMD4<Double>, _ transfer: Transfer, inverse: Bool) -> SIMD4<Double> {
        guard pixel.w > 0 else { return .zero }
        func mapped(_ p: SIMD4<Double>, _ function: (Double) -> Double) -> SIMD4<Double> {
            SIMD4(function(max(p.x, 0)), function(max(p.y, 0)), function(max(p.z, 0)), 1)
        }
        func gained(_ p: SIMD4<Double>, _ exponent: Double) -> SIMD4<Double> {
            let luminance = 0.2627 * p.x + 0.6780 * p.y + 0.0593 * p.z
            return p * (luminance > 0 ? pow(luminance, exponent - 1) : 0)
        }
        var color = pixel / pixel.w
        switch (transfer, inverse) {
        case (.hlg, false):
            color = mapped(gained(mapped(color) { $0 * 203 / 1000 }, 1 / 1.2)) { transfer.inverseEOTF($0, white: 203) }
        case (.hlg, true):
            color = gained(mapped(color) { transfer.eotf(min($0, 1), white: 203) }, 1.2) * (1000 / 203)
        case (_, false): color = mapped(color) { transfer.inverseEOTF($0 * 203, white: 203) }
        case (_, true): color = mapped(color) { transfer.eotf(min($0, 1), white: 203) / 203 }
        }
        color.w = 1
        return color * pixel.w
    }

    private static func reference(
        _ layers: [Layer], on background: CanvasBackground, mixesSignals: Bool = false, _ stream: StreamSignal,
        _ width: Int, _ height: Int, kernel: ResamplingFilter.Kernel
    ) -> ComposedPicture {
        let transfer = stream.color.transfer
        let canvas = LightPicture(width: width, height: height)!
        let sources = layers.map { scaled($0, kernel, on: stream) }
        for y in 0..<height {
            for x in 0..<width {
                var below: SIMD4<Double> =
                    switch background {
                    case .black: SIMD4(0, 0, 0, 1)
                    case .white: SIMD4(1, 1, 1, 1)
                    case .transparent: .zero
                    case .checker: SIMD4(repeating: 0)
                    }
                for (layer, source) in zip(layers, sources) {
                    guard var top = source(x, y) else { continue }
                    top *= layer.opacity
                    let share = layer.wipe?.share(x, y, of: layer.placement.place(layer.part)) ?? 1
                    if layer.blend != .source {
                        top *= share
                    } else if share < 1 {
                        if mixesSignals && share > 0 {
                            let (from, to) = (
                                signal(below, transfer, inverse: false), signal(top, transfer, inverse: false)
                            )
                            below = signal(from + (to - from) * share, transfer, inverse: true)
                        } else {
                            below += (top - below) * share
                        }
                        continue
                    }
                    if mixesSignals && layer.blend != .source {
                        if layer.blend == .over && top.w >= 1 { below = top }
                        if layer.blend == .over && (top.w >= 1 || top.w <= 0) || top == .zero { continue }
                        let (above, under) = (
                            signal(top, transfer, inverse: false), signal(below, transfer, inverse: false)
                        )
                        var sum = layer.blend == .over ? above + under * (1 - top.w) : above + under
                        sum.w = min(sum.w, 1)
                        below = signal(sum, transfer, inverse: true)
                        continue
                    }
                    switch layer.blend {
                    case .source: below = top
                    case .over: below = top + below * (1 - top.w)
                    case .add:
                        below += top
                        below.w = min(below.w, 1)
                    }
                }
                if !stream.layout.hasAlpha { below.w = 1 }
                canvas.row(y)[x] = LightPixel(below)
            }
        }
        let made = ComposedPicture(stream, width, height)
        made.encode(canvas)
        return made
    }

    private static func wipe(_ random: inout SeededGenerator) -> Wipe {
        let values = (0..<(7 * 5)).map { _ in UInt16(random.below(65536)) }
        let shapes: [WipeShape] = [
            .barLeft, .barRight, .barUp, .barDown, .diagonal, .iris, .diamond, .clock, .barnDoor,
            .map(WipePicture(width: 7, height: 5, values: values)!),
        ]
        return Wipe(
            shape: shapes[random.below(shapes.count)], progress: Double(random.below(101)) / 100,
            softness: random.below(2) == 0 ? 0 : Double(random.below(101)) / 100, isReversed: random.below(2) == 0)
    }

    // MARK: Tests

    /// Any number of layers, sizes, places, turns, crops, operators, alphas and wipes, in and out of the canvas, mixed
    /// as light or as signals.
    @Test(arguments: 0..<TestWork.scaled(150, least: 8)) func canvasesAreWithinACodeOfTheReference(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 77)
        func pick<Element>(_ all: [Element]) -> Element { all[random.below(all.count)] }
        let transfers: [Transfer] = [.pq, .hlg, .bt1886, .sRGB]
        let (width, height) = (1 + random.below(45), 1 + random.below(40))
        let canvas = Self.stream(pick(Self.formats), pick([.pq, .hlg, .pq, .bt1886]))
        let isHDR = canvas.color.transfer.isHDR
        let layers = (0..<(1 + random.below(seed % 10 == 0 ? 16 : 4))).map { _ in
            let transfer = isHDR ? pick(transfers) : pick([.bt1886, .sRGB])
            let picture = ComposedPicture(
                Self.stream(pick(Self.formats), transfer), 1 + random.below(40), 1 + random.below(40))
            picture.fill(&random)
            var placement = LayerPlacement()
            placement.x = random.below(60) - 20
            placement.y = random.below(60) - 20
            if random.below(2) == 0 { placement.width = 1 + random.below(70) }
            if random.below(2) == 0 { placement.height = 1 + random.below(70) }
            if random.below(3) == 0 { placement.sizing = .keepAspectRatio }
            if random.below(3) == 0 {
                placement.cropLeft = random.below(10)
                placement.cropRight = random.below(10)
                placement.cropTop = random.below(10)
                placement.cropBottom = random.below(10)
            }
            return Layer(
                picture: picture, placement: placement, blend: pick([.over, .over, .source, .add]),
                opacity: random.below(2) == 0 ? 1 : Double(random.below(101)) / 100,
                orientation: random.below(3) == 0 ? pick(LayerOrientation.allCases) : .identity,
                wipe: random.below(3) == 0 ? Self.wipe(&random) : nil)
        }
        let background = pick([CanvasBackground.black, .white, .transparent])
        let kernel = pick(ResamplingFilter.Kernel.allCases)
        let mixesSignals = seed % 3 == 2
        let curve = SignalCurve(canvas.color.transfer, white: 203, hlgPeak: 1000)
        let made = try Self.composed(
            layers, on: background, in: mixesSignals ? .signal(curve) : .linear, canvas, width, height, kernel: kernel,
            threads: 1 + seed % 3)
        let exact = Self.reference(
            layers, on: background, mixesSignals: mixesSignals, canvas, width, height, kernel: kernel)
        #expect(made.difference(from: exact) <= 1, "\(canvas.layout.bits) bits, \(canvas.color.transfer)")
    }

    /// Opaque layers of the canvas's signal over a picture that fills it, at any place, beneath and among others:
    /// within a code of the reference everywhere, and the layer's own codes inside of its edges.
    @Test(arguments: 0..<TestWork.scaled(60, least: 8)) func opaqueLayersAreCopied(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 4321)
        let format = ["I420_10LE", "NV12", "I422_10LE", "Y444_12LE", "RGB", "GBR_10LE"][seed % 6]
        let stream = Self.stream(format, [.pq, .hlg, .bt1886][random.below(3)])
        let (width, height) = (100 + random.below(120), 60 + random.below(60))
        func picture(_ width: Int, _ height: Int, _ stream: StreamSignal) -> ComposedPicture {
            let picture = ComposedPicture(stream, width, height)
            picture.fillSmoothly(&random)
            return picture
        }
        let base = picture(width, height, stream)
        var layers = [Layer(picture: base, placement: LayerPlacement(), blend: .over, opacity: 1)]
        for index in 0..<(1 + random.below(3)) {
            var placement = LayerPlacement()
            (placement.x, placement.y) = (random.below(width) - 20, random.below(height) - 20)
            if random.below(3) == 0 { (placement.cropLeft, placement.cropTop) = (random.below(9), random.below(9)) }
            let isAlike = index == 0 || random.below(2) == 0
            layers.append(
                Layer(
                    picture: picture(
                        40 + random.below(100), 30 + random.below(60), isAlike ? stream : Self.stream("RGBA", .sRGB)),
                    placement: placement, blend: .over, opacity: isAlike ? 1 : 0.6))
        }
        let made = try Self.composed(
            layers, on: .black, stream, width, height, kernel: .lanczos, threads: 1 + seed % 3)
        let exact = Self.reference(layers, on: .black, stream, width, height, kernel: .lanczos)
        #expect(made.difference(from: exact) <= 1, "\(format), \(stream.color.transfer)")
        guard layers.count == 2 else { return }
        // Far from the edges, the light of the copy is exactly that of its own codes.
        let (part, place) = (layers[1].part, layers[1].placement.place(layers[1].part))
        let inside = place.cut(toWidth: width, height: height)
        let unit = 1 << stream.layout.horizontalShift, rowUnit = 1 << stream.layout.verticalShift
        guard (place.x - part.x) % unit == 0, (place.y - part.y) % rowUnit == 0 else { return }
        let (own, shown) = (layers[1].picture.decoded(on: stream), made.decoded(on: stream))
        var unlike = 0
        for y in (inside.y + 8)..<max(inside.y + 8, inside.rows.upperBound - 8) {
            for x in (inside.x + 8)..<max(inside.x + 8, inside.columns.upperBound - 8) {
                if shown.row(y)[x] != own.row(y - place.y + part.y)[x - place.x + part.x] { unlike += 1 }
            }
        }
        #expect(unlike == 0)
    }

    /// Layers that fill the canvas, as in a dissolve, several chunks of pixels wide.
    @Test(arguments: 0..<TestWork.scaled(60, least: 8)) func layersAsLargeAsTheCanvas(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 991)
        func pick<Element>(_ all: [Element]) -> Element { all[random.below(all.count)] }
        let canvas = Self.stream(pick(Self.formats), pick([.pq, .hlg, .bt1886]))
        let isHDR = canvas.color.transfer.isHDR
        let (width, height) = (pick([1, 37, 383, 384, 385, 800]), 1 + random.below(12))
        let layers = (0..<(2 + random.below(3))).map { index in
            let isAlike = random.below(2) == 0
            let other = Self.stream(pick(Self.formats), isHDR ? pick([.pq, .hlg, .bt1886]) : .bt1886)
            let picture = ComposedPicture(isAlike ? canvas : other, width, height)
            picture.fill(&random)
            return Layer(
                picture: picture, placement: LayerPlacement(), blend: .over,
                opacity: index == 0 && random.below(2) == 0 ? 1 : Double(random.below(101)) / 100)
        }
        let background = pick([CanvasBackground.black, .white, .transparent])
        let made = try Self.composed(
            layers, on: background, canvas, width, height, kernel: .lanczos, threads: 1 + seed % 3)
        let exact = Self.reference(layers, on: background, canvas, width, height, kernel: .lanczos)
        #expect(made.difference(from: exact) <= 1, "\(canvas.layout.bits) bits, \(canvas.color.transfer)")
    }

    /// What a title as large as the canvas does not cover.
    @Test(arguments: formats.filter { PixelLayout.byName[$0]?.hasAlpha == false })
    func pixelsUnderATransparentLayerKeepTheirCodes(_ format: String) throws {
        var random = SeededGenerator(seed: 6)
        let stream = Self.stream(format, .pq)
        let base = ComposedPicture(stream, 400, 9)
        base.fill(&random)
        let title = ComposedPicture(Self.stream("RGBA", .sRGB), 400, 9)
        let layers = [base, title].map { Layer(picture: $0, placement: LayerPlacement(), blend: .over, opacity: 1) }
        let made = try Self.composed(layers, on: .black, stream, 400, 9, kernel: .lanczos, threads: 2)
        #expect(made.difference(from: base) == 0)
    }

    /// One picture that fills the canvas keeps every code.
    @Test(arguments: formats) func aPictureAloneKeepsItsCodes(_ format: String) throws {
        for transfer in [Transfer.pq, .hlg, .bt1886] {
            var random = SeededGenerator(seed: 5)
            let stream = Self.stream(format, transfer)
            let picture = ComposedPicture(stream, 37, 21)
            picture.fill(&random)
            let layer = Layer(picture: picture, placement: LayerPlacement(), blend: .over, opacity: 1)
            let made = try Self.composed(
                [layer], on: .transparent, stream, 37, 21, kernel: .lanczos, threads: 2)
            #expect(made.difference(from: picture) == 0, "\(transfer)")
        }
    }
}
