import HDRColor
import TestSupport
import Testing

@testable import HDRComposition
@testable import HDRKernels

/// Opaque layers with the canvas's signal, whose codes are copied: noise, so that any other way of making them shows.
struct CopiedLayersTests {
    private typealias Layer = CanvasComposerTests.Layer

    private static let formats = [
        "I420_10LE", "NV12", "I422_10LE", "Y444_12LE", "RGB", "GBR_10LE", "I420_12LE", "P010_10LE",
    ]
    /// The pixels beside an edge whose chroma depends on the other side of it, and those for whose light it is decoded.
    private static let margin = 5

    private struct Scene {
        let stream: StreamSignal
        let width: Int, height: Int
        let background: CanvasBackground
        var layers: [Layer] = []

        init(_ seed: Int, _ random: inout SeededGenerator) {
            let transfers = [Transfer.pq, .hlg, .bt1886]
            stream = CanvasComposerTests.stream(formats[seed % formats.count], transfers[random.below(3)])
            (width, height) = (100 + random.below(120), 60 + random.below(61))
            background = random.below(2) == 0 ? .black : .white
        }

        mutating func add(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ random: inout SeededGenerator) {
            let picture = ComposedPicture(stream, width, height)
            picture.fill(&random)
            var placement = LayerPlacement()
            (placement.x, placement.y) = (x, y)
            layers.append(Layer(picture: picture, placement: placement, blend: .over, opacity: 1))
        }

        func composed(threads: Int) throws -> ComposedPicture {
            try CanvasComposerTests.composed(
                layers, on: background, stream, width, height, kernel: .lanczos, threads: threads)
        }
    }

    /// Whether each pixel of the canvas has the light of the uppermost layer there, but for those near an edge.
    private func check(_ scene: Scene, _ made: ComposedPicture, _ line: Int = #line) throws {
        let plain = ComposedPicture(scene.stream, scene.width, scene.height)
        let light = try #require(LightPicture(width: scene.width, height: scene.height))
        for y in 0..<scene.height { scene.background.fill(light.row(y), width: scene.width, y: y) }
        plain.encode(light)
        let pictures =
            [(plain.decoded(on: scene.stream), PixelRect(x: 0, y: 0, width: scene.width, height: scene.height))]
            + scene.layers.map { ($0.picture.decoded(on: scene.stream), $0.placement.place($0.part)) }
        let shown = made.decoded(on: scene.stream)
        func top(_ x: Int, _ y: Int) -> Int {
            pictures.lastIndex { $0.1.columns.contains(x) && $0.1.rows.contains(y) } ?? 0
        }
        var compared = 0
        var unlike: [String] = []
        for y in 0..<scene.height {
            for x in 0..<scene.width {
                let own = top(x, y)
                let isInside = [-Self.margin, Self.margin].allSatisfy { step in
                    let (column, row) = (
                        min(max(x + step, 0), scene.width - 1), min(max(y + step, 0), scene.height - 1)
                    )
                    return top(column, y) == own && top(x, row) == own && top(column, row) == own
                        && top(column, min(max(y - step, 0), scene.height - 1)) == own
                }
                let (picture, place) = pictures[own]
                // Beyond the canvas's edges chroma is repeated, not that of the picture, which may go on there.
                let goesOn =
                    place.x < 0 && x < Self.margin || place.y < 0 && y < Self.margin
                    || place.columns.upperBound > scene.width && x + Self.margin >= scene.width
                    || place.rows.upperBound > scene.height && y + Self.margin >= scene.height
                guard isInside, !goesOn else { continue }
                compared += 1
                if shown.row(y)[x] != picture.row(y - place.y)[x - place.x] {
                    unlike.append("\(x), \(y)")
                }
            }
        }
        let places = scene.layers.map { "\($0.placement.place($0.part))" }
        #expect(
            compared > 1000 && unlike.isEmpty,
            """
            \(unlike.count) of \(compared): \(unlike.prefix(4)) in \(scene.width)x\(scene.height), \(places), \
            line \(line)
            """)
    }

    /// Over a picture that fills the canvas.
    @Test(arguments: 0..<TestWork.scaled(48, least: 8)) func overAPicture(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 77)
        var scene = Scene(seed, &random)
        scene.add(0, 0, scene.width, scene.height, &random)
        for _ in 0..<(1 + random.below(3)) {
            let (x, y) = (random.below(scene.width / 2) * 2 - 20, random.below(scene.height / 2) * 2 - 20)
            scene.add(x, y, 40 + random.below(80), 30 + random.below(50), &random)
        }
        try check(scene, try scene.composed(threads: 1 + seed % 3))
    }

    /// On a background of one colour: a mosaic whose pictures touch, or some with room between them.
    @Test(arguments: 0..<TestWork.scaled(48, least: 8)) func onABackground(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed) &+ 78)
        var scene = Scene(seed, &random)
        let (x, y) = (scene.width / 4 * 2, scene.height / 4 * 2)
        let gap = random.below(3) * 2
        for (column, row) in [(0, 0), (x + gap, 0), (0, y + gap), (x + gap, y + gap)] where random.below(4) > 0 {
            scene.add(
                column, row, column > 0 ? scene.width - column : x, row > 0 ? scene.height - row : y, &random)
        }
        if scene.layers.isEmpty { scene.add(10, 8, 60, 40, &random) }
        try check(scene, try scene.composed(threads: 1 + seed % 3))
    }
}
