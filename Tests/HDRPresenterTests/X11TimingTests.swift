import Foundation
import HDRConcurrency
import TestSupport
import Testing

@testable import HDRPresenter

extension X11Tests {
    /// Frame rate, regularity, and what is left after closing.
    @Suite struct Timing {
        @Test(arguments: [[], ["present"]] as [Set<String>])
        func refreshTicks(unused: Set<String>) throws {
            let server = try XServer()
            let stage = try X11Stage(server, unused: unused, size: (64, 64), width: 64, height: 64)
            defer { stage.presenter.close() }
            #expect(stage.recorder.ticks.isEmpty)
            stage.presenter.setRefreshEvents(true)
            #expect(stage.recorder.waits { $0.count { if case .refreshed = $0 { true } else { false } } >= 121 })
            stage.presenter.setRefreshEvents(false)
            let ticks = stage.recorder.ticks
            let first = try #require(ticks.first)
            let last = try #require(ticks.last)
            let rate = Double(last.sequence - first.sequence) * 1e9 / Double(last.now - first.now)
            // The rate is that of the server's own counter and clock, which a busy machine does not change.
            #expect(rate > 55 && rate < 65, "\(rate) Hz")
            for (before, after) in zip(ticks, ticks.dropFirst()) {
                #expect(after.now > before.now && after.sequence > before.sequence)
                #expect(after.target > after.now)
            }
            let period = 1e9 / 60
            #expect(abs(Double(last.interval) - period) < 1e6)
            if unused.isEmpty {
                #expect(abs(Double(stage.presenter.display.refreshInterval) - period) < 1e6)
            }
            // One may be on its way; then pictures are shown and no tick comes with them.
            let pixels = stage.noise()
            func showPictures(_ count: Int) throws {
                for _ in 0..<count {
                    #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(64, 64))))
                }
            }
            try showPictures(3)
            let count = stage.recorder.ticks.count
            try showPictures(10)
            #expect(stage.recorder.ticks.count == count)
            stage.presenter.setRefreshEvents(true)
            #expect(stage.recorder.waits { $0.count { if case .refreshed = $0 { true } else { false } } >= count + 30 })
        }

        @Test(arguments: [24, 30])
        func manyPictures(depth: Int) throws {
            let server = try XServer(depth: depth, width: 1280, height: 720)
            let stage = try X11Stage(server, size: (1280, 720), width: 1280, height: 720)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            for serial in 1...300 as ClosedRange<UInt64> {
                let buffer = try #require(try stage.presenter.acquire())
                if serial <= 3 { stage.fill(buffer, pixels) }
                try stage.presenter.present(buffer, serial: serial, views: stage.filling(1280, 720), target: nil)
            }
            #expect(stage.recorder.waitsUntilSeen(300))
            // Each picture has its feedback, in the order of display.
            #expect(stage.recorder.waits { $0.count { if case .presented = $0 { true } else { false } } == 300 })
            let feedback = stage.recorder.feedback
            #expect(Set(feedback.map(\.serial)) == Set(1...300))
            let times = feedback.compactMap(\.time)
            #expect(times == times.sorted())
            let now = MonotonicClock.now()
            #expect(times.allSatisfy { $0 <= now + 20_000_000 && $0 + 15_000_000_000 > now })
            #expect(stage.recorder.failures.isEmpty)
        }

        /// One at a time, each after the last was seen: a refresh each.
        @Test func pacedPicturesAreAllSeen() throws {
            let server = try XServer(width: 1280, height: 720)
            let stage = try X11Stage(server, size: (640, 360), width: 1280, height: 720)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            for _ in 0..<60 {
                #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(640, 360))))
            }
            #expect(stage.recorder.feedback.allSatisfy { $0.time != nil })
            let sequences = stage.recorder.feedback.map(\.sequence)
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
        }

        @Test func nothingLeaks() throws {
            let server = try XServer()
            func count(_ folder: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count) ?? 0
            }
            func shared() -> Int {
                let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
                return maps.components(separatedBy: "x11-picture").count - 1
            }
            func mine() -> Int {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                return tasks.count {
                    (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "hdr-x11\n"
                }
            }
            var before = 0
            for round in 0..<55 {
                let stage = try X11Stage(
                    server, unused: round % 5 == 4 ? ["present"] : [], size: (64, 64), width: 64, height: 64)
                let pixels = stage.noise()
                for _ in 0..<5 { try stage.present(pixels, stage.filling(64, 64)) }
                if round % 3 == 0 { #expect(stage.recorder.waitsUntilSeen(5)) }
                if round % 7 == 0 { _ = try stage.presenter.acquire() }
                stage.presenter.close()
                stage.presenter.close()
                if round == 4 { before = count("fd") }
            }
            // Other tests may open some at the same time, but not one for each round.
            #expect(count("fd") < before + 25)
            // A presenter of an earlier test may still wait for the end of a server that hangs.
            _ = eventually(every: .milliseconds(20)) { shared() + mine() == 0 }
            #expect(shared() == 0)
            #expect(mine() == 0)
            // The server has let go too: only this client is left, and no picture's memory.
            let clients = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(server.process.identifier)/fd")
            #expect(clients.count < 20, "\(clients.count) files in the server")
        }

        /// New sizes all the time, while buffers of the old one are in use.
        @Test func changingPictures() throws {
            let server = try XServer()
            let stage = try X11Stage(server, size: (100, 100), width: 100, height: 100)
            defer { stage.presenter.close() }
            let client = try X11Client(server)
            var last: [UInt32] = []
            for round in 1...40 {
                let held = try stage.presenter.acquire()
                let (width, height) = (20 + round, 60 - round)
                try stage.presenter.configure(
                    PictureDescription(
                        width: width, height: height, format: stage.format, encoding: PictureEncoding(.sRGB, .sRGB),
                        contentPeak: 203))
                for _ in 0..<4 {
                    let buffer = try #require(try stage.presenter.acquire())
                    #expect(buffer.description.width == width && buffer.stride % 64 == 0)
                    for row in 0..<height {
                        let line = (buffer.memory + row * buffer.stride).assumingMemoryBound(to: UInt32.self)
                        for column in 0..<width { line[column] = UInt32(round * 40503 + row * 77 + column) & 0xff_ffff }
                    }
                    last = (0..<height).flatMap { row in
                        (0..<width).map { column in UInt32(round * 40503 + row * 77 + column) & 0xff_ffff }
                    }
                    let whole = View.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height))
                    try stage.presenter.present(
                        buffer, serial: UInt64(round), views: [View(source: whole, destination: whole)], target: nil)
                }
                if let held {
                    // The buffer belongs to the previous description, and may still be shown or released.
                    if round % 2 == 0 {
                        stage.presenter.release(held)
                        #expect(throws: PresenterError.self) {
                            try stage.presenter.present(held, serial: 0, views: [], target: nil)
                        }
                    } else {
                        try stage.presenter.present(held, serial: 0, views: [], target: nil)
                    }
                }
            }
            let (width, height) = (60, 20)
            let window = try client.window(titled: "stage")
            #expect(
                try client.image(of: window, width: 100, height: 100) { image in
                    (0..<height).allSatisfy { y in
                        (0..<width).allSatisfy { image[y * 100 + $0] == last[y * width + $0] }
                    }
                })
            #expect(stage.recorder.failures.isEmpty)
        }
    }
}
