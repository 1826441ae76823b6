import Foundation
import TestSupport
import Testing

@testable import HDRPresenter

extension X11Tests {
    /// The pixels in the window.
    @Suite struct Pictures {
        @Test(arguments: [24, 30])
        func equalSizeIsExact(depth: Int) throws {
            let server = try XServer(depth: depth)
            let stage = try X11Stage(server, size: (322, 201), width: 322, height: 201)
            defer { stage.presenter.close() }
            #expect(stage.format == (depth == 30 ? .bgr10a2 : .bgra8))
            #expect(stage.presenter.display.features.contains("depth-\(depth)"))
            for feature in ["shm", "present", "render"] { #expect(stage.presenter.display.features.contains(feature)) }
            let client = try X11Client(server)
            for seed in 1...5 {
                let pixels = stage.noise(seed: UInt64(seed))
                #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(322, 201))))
                let window = try client.window(titled: "stage")
                #expect(try client.image(of: window, width: 322, height: 201) == pixels)
            }
            #expect(stage.recorder.failures.isEmpty)
        }

        @Test(arguments: [24, 30])
        func twiceTheSizeIsBilinear(depth: Int) throws {
            let server = try XServer(depth: depth)
            let stage = try X11Stage(server, size: (128, 96), width: 64, height: 48)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(128, 96))))
            let client = try X11Client(server)
            let image = try client.image(of: try client.window(titled: "stage"), width: 128, height: 96)
            var worst = 0.0
            for y in 0..<96 {
                for x in 0..<128 {
                    let wanted = bilinear(stage, pixels, (Double(x) + 0.5) / 2 - 0.5, (Double(y) + 0.5) / 2 - 0.5)
                    for (value, right) in zip(stage.channels(image[y * 128 + x]), wanted) {
                        worst = max(worst, abs(value - right))
                    }
                }
            }
            #expect(worst <= (depth == 30 ? 8 : 2), "\(worst)")
        }

        private func bilinear(_ stage: X11Stage, _ pixels: [UInt32], _ x: Double, _ y: Double) -> [Double] {
            func pixel(_ column: Int, _ row: Int) -> [Double] {
                let (column, row) = (min(max(0, column), stage.width - 1), min(max(0, row), stage.height - 1))
                return stage.channels(pixels[row * stage.width + column])
            }
            let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
            let (across, down) = (x - Double(left), y - Double(top))
            return (0..<3).map { channel in
                let upper = pixel(left, top)[channel] * (1 - across) + pixel(left + 1, top)[channel] * across
                let lower = pixel(left, top + 1)[channel] * (1 - across) + pixel(left + 1, top + 1)[channel] * across
                return upper * (1 - down) + lower * down
            }
        }

        /// Noise made smaller comes near each part's mean, which a filter of four pixels does not.
        @Test(arguments: [(24, 2), (24, 3), (24, 4), (24, 8), (30, 2), (30, 3), (30, 4), (30, 8)])
        func smallerIsTheMean(depth: Int, factor: Int) throws {
            let server = try XServer(depth: depth)
            let (width, height) = (80, 60)
            let stage = try X11Stage(server, size: (width, height), width: width * factor, height: height * factor)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(width, height))))
            let client = try X11Client(server)
            let image = try client.image(of: try client.window(titled: "stage"), width: width, height: height)

            let top = depth == 30 ? 1023.0 : 255.0
            var (sum, worst, bias) = (0.0, 0.0, 0.0)
            for y in 0..<height {
                for x in 0..<width {
                    var means = [0.0, 0.0, 0.0]
                    for row in y * factor..<(y + 1) * factor {
                        for column in x * factor..<(x + 1) * factor {
                            let parts = stage.channels(pixels[row * stage.width + column])
                            for channel in 0..<3 { means[channel] += parts[channel] / Double(factor * factor) }
                        }
                    }
                    for (value, right) in zip(stage.channels(image[y * width + x]), means) {
                        sum += abs(value - right) / top
                        bias += (value - right) / top
                        worst = max(worst, abs(value - right) / top)
                    }
                }
            }
            let mean = sum / Double(width * height * 3)
            bias /= Double(width * height * 3)
            // A power of two is halved all the way: rounding alone.
            #expect(mean < (factor == 3 ? 0.06 : 0.006), "mean \(mean), worst \(worst)")
            #expect(abs(bias) < 0.006, "\(bias)")
        }

        @Test(arguments: [24, 30])
        func viewsLieAboveEachOtherOnBlack(depth: Int) throws {
            let server = try XServer(depth: depth)
            let stage = try X11Stage(server, size: (200, 150), width: 100, height: 80)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            let main = View(source: stage.whole, destination: .init(x: 50, y: 20, width: 100, height: 80))
            let loupe = View(
                source: .init(x: 10, y: 10, width: 20, height: 10),
                destination: .init(x: 60, y: 90, width: 20, height: 10))
            let outside = View(source: stage.whole, destination: .init(x: 500, y: 0, width: 100, height: 80))
            let cut = View(
                source: .init(x: -10, y: 0, width: 20, height: 20),
                destination: .init(x: 180, y: 130, width: 20, height: 20))
            let broken = View(source: .init(x: .nan, y: 0, width: 1, height: 1), destination: stage.whole)
            let views = [main, loupe, outside, cut, broken]
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, views)))
            let client = try X11Client(server)
            let image = try client.image(of: try client.window(titled: "stage"), width: 200, height: 150)
            var wanted = [UInt32](repeating: 0, count: 200 * 150)
            for y in 0..<80 { for x in 0..<100 { wanted[(y + 20) * 200 + x + 50] = pixels[y * 100 + x] } }
            for y in 0..<10 { for x in 0..<20 { wanted[(y + 90) * 200 + x + 60] = pixels[(y + 10) * 100 + x + 10] } }
            for y in 0..<20 { for x in 0..<10 { wanted[(y + 130) * 200 + x + 190] = pixels[y * 100 + x] } }
            #expect(image == wanted)

            // A loupe of twice the size elsewhere, without a new picture.
            let bigger = View(source: loupe.source, destination: .init(x: 0, y: 0, width: 40, height: 20))
            stage.presenter.redraw(views: [main, bigger])
            #expect(
                try client.image(of: try client.window(titled: "stage"), width: 200, height: 150) { image in
                    image[0] != 0 && image[90 * 200 + 60] == pixels[70 * 100 + 10] && image[149 * 200 + 199] == 0
                })
            #expect(stage.recorder.failures.isEmpty)
        }

        /// Pixels that the mask of a view does not cover show what lies below, at any scale, also after a redraw.
        @Test(arguments: [24, 30], [1.0, 2, 0.25])
        func masksLetTheRestThrough(depth: Int, scale: Double) throws {
            let server = try XServer(depth: depth)
            let stage = try X11Stage(server, size: (200, 150), width: 200, height: 150)
            defer { stage.presenter.close() }
            // One colour on the left, one on the right.
            var pixels = stage.noise()
            for index in pixels.indices { pixels[index] = index % 200 < 100 ? pixels[0] : pixels[1] }
            let client = try X11Client(server)
            func expect(_ loupe: View, serial: UInt64? = nil) throws {
                if let serial { #expect(stage.recorder.waitsUntilSeen(serial)) }
                let (below, above) = (stage.channels(pixels[0]), stage.channels(pixels[1]))
                func error(_ image: [UInt32]) -> Double {
                    var worst = 0.0
                    for y in 0..<150 {
                        for x in 0..<100 {
                            let (column, row) = (Double(x) + 0.5, Double(y) + 0.5)
                            let d = loupe.destination
                            let isIn = (d.x..<d.x + d.width).contains(column) && (d.y..<d.y + d.height).contains(row)
                            let share = isIn ? loupe.coverage(x: column, y: row) : 0
                            for (channel, value) in stage.channels(image[y * 200 + x]).enumerated() {
                                let wanted = below[channel] + (above[channel] - below[channel]) * share
                                worst = max(worst, abs(value - wanted))
                            }
                        }
                    }
                    return worst
                }
                let bound = depth == 30 ? 8.0 : 2
                var last: [UInt32] = []
                _ = try client.image(of: try client.window(titled: "stage"), width: 200, height: 150) { image in
                    last = image
                    return error(image) <= bound
                }
                #expect(error(last) <= bound, "\(loupe)")
            }
            let main = View(source: stage.whole, destination: stage.whole)
            let side = 40 / scale
            var loupe = View(
                source: .init(x: 100 + (100 - side) / 2, y: (150 - side) / 2, width: side, height: side),
                destination: .init(x: 20, y: 30, width: 40, height: 40), mask: .ellipse)
            if side > 100 { loupe.source = .init(x: 100, y: 0, width: 100, height: 150) }
            try expect(loupe, serial: try stage.present(pixels, [main, loupe]))
            loupe.feather = 0.5
            loupe.opacity = 0.75
            loupe.destination.x = 35
            stage.presenter.redraw(views: [main, loupe])
            try expect(loupe)
            #expect(stage.recorder.failures.isEmpty)
        }

        /// The ways around what a server lacks show the same picture.
        @Test(arguments: [24, 30], [["shm"], ["present"], ["randr"], ["shm", "present", "randr"]])
        func exactWithout(depth: Int, lack: [String]) throws {
            let server = try XServer(depth: depth, width: 1400, height: 900)
            let stage = try X11Stage(server, unused: Set(lack), size: (1281, 719), width: 1281, height: 719)
            defer { stage.presenter.close() }
            for feature in lack { #expect(!stage.presenter.display.features.contains(feature)) }
            let client = try X11Client(server)
            for seed in 1...3 {
                let pixels = stage.noise(seed: UInt64(seed))
                let serial = try stage.present(pixels, stage.filling(1281, 719))
                #expect(stage.recorder.waitsUntilSeen(serial))
                // The server does not wait for the first picture to be mapped.
                let window = try client.window(titled: "stage")
                #expect(try client.image(of: window, width: 1281, height: 719) { $0 == pixels })
            }
            #expect(stage.recorder.failures.isEmpty)
        }

        /// As from another machine, and a server without the extension: no shared memory.
        @Test(arguments: [["-listen", "tcp"], ["-extension", "MIT-SHM"]])
        func exactWithoutSharedMemory(options: [String]) throws {
            let server = try XServer(options)
            let stage = try X11Stage(
                server, display: options[0] == "-listen" ? "127.0.0.1" + server.display : nil, size: (640, 480),
                width: 640,
                height: 480)
            defer { stage.presenter.close() }
            #expect(!stage.presenter.display.features.contains("shm"))
            let client = try X11Client(server)
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(640, 480))))
            let window = try client.window(titled: "stage")
            #expect(try client.image(of: window, width: 640, height: 480) { $0 == pixels })
        }
    }
}
