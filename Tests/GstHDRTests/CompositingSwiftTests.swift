import CGStreamer
import CHDRTap
import Foundation
import HDRTap
import Synchronization
import TestSupport
import Testing

/// A compositor in Swift is asked, and owned, as the element's contract has it.
@Suite(.quiet, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositingSwiftTests {
    private static let pq = "video/x-raw,format=GBR_10LE,width=16,height=8,framerate=25/1,colorimetry=1:1:14:7"

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "no pictures today" }
    }

    /// The fate of a compositor, seen from outside.
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Doubles the light of one source, and looks at all that it is given.
    private final class Watcher: VideoCompositor {
        let log: Log
        init(_ log: Log) { self.log = log }
        deinit { log.add("released") }

        var abilities: CompositorAbilities {
            CompositorAbilities(takesHDR: true, sources: .light(.single), frames: .light(.single))
        }

        func renderContextChanged(_ context: CompositionContext) {
            log.add("\(context.width) \(context.height) \(context.name) \(context.colorimetry)")
        }

        func start(_ request: CompositionRequest) throws {
            guard request.streamTime != 40_000_000 else { throw Refusal() }
            guard let source = request.source("sink_0"), let frame = request.newFrame() else {
                return request.leaveOut()
            }
            #expect(source.plane(0) == nil && frame.plane(0) == nil && source.light(row: 8).isEmpty)
            #expect(request.source("sink_7") == nil && request.sources.count == 1)
            for row in 0..<frame.height {
                for (index, light) in source.light(row: row).enumerated() { frame.light(row: row)[index] = 2 * light }
            }
            #expect(request.finish(frame))
            #expect(!request.finish(frame), "a frame is taken once")
            #expect(!request.fail("late") && !request.isCancelled)
        }
    }

    @Test func lightIsDoubled() throws {
        let harness = try CompositingHarness()
        let log = Log()
        let compositing = try VideoCompositing(Watcher(log), on: harness.element)
        let source = try harness.source(Self.pq)
        // 594 of 1023 is 203 cd/m² in PQ, and 670 is 406.
        source.push(594)
        let word = try #require(harness.pullWords(128).first)
        #expect((669...671).contains(word), "\(word)")
        source.push(594)
        #expect(harness.error() == "no pictures today")
        harness.stop()
        compositing.detach()
        #expect(log.lines.withLock { $0 } == ["16 8 GBR_10LE 1:1:14:7", "released"])
    }

    final class Doubler: VideoCompositor {
        var abilities: CompositorAbilities {
            CompositorAbilities(takesHDR: true, sources: .light(.single), frames: .light(.single))
        }

        func start(_ request: CompositionRequest) throws {
            guard let source = request.sources.first, let frame = request.newFrame() else { return request.leaveOut() }
            for row in 0..<frame.height {
                let light = frame.light(row: row)
                let given = source.light(row: row)
                // Every fourth number is alpha; what the source does not cover becomes transparent.
                for index in light.indices {
                    light[index] = index < given.count ? (index % 4 == 3 ? 1 : 2) * given[index] : 0
                }
            }
            request.finish(frame)
        }
    }

    /// The page's compositor, which is this one.
    @Test func thePagesCompositor() throws {
        let harness = try CompositingHarness()
        let element = harness.element
        let compositing = try VideoCompositing(Doubler(), on: element)
        try harness.source(Self.pq).push(594)
        #expect((669...671).contains(try #require(harness.pullWords(128).first)))
        compositing.detach()

        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/custom-compositor.md"), encoding: .utf8)
        let program = page.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
        let here = try String(
            contentsOfFile: Repository.path("Tests/GstHDRTests/CompositingSwiftTests.swift"), encoding: .utf8)
        for line in program.split(separator: "\n") where !line.hasPrefix("import") {
            #expect(here.contains("    \(line)\n"), "\(line)")
        }
    }

    /// Writes planes of a request that it holds, on another thread.
    private final class Later: VideoCompositor {
        let held = Mutex<CompositionRequest?>(nil)
        let cancelled = Atomic<Int>(0)

        func start(_ request: CompositionRequest) { held.withLock { $0 = request } }
        func cancelAllPendingRequests() { cancelled.wrappingAdd(1, ordering: .relaxed) }

        func take() -> CompositionRequest? {
            for _ in 0..<1000 {
                if let request = held.withLock({ held in
                    defer { held = nil }
                    return held
                }) {
                    return request
                }
                g_usleep(10_000)
            }
            return nil
        }
    }

    @Test func anAnswerComesLater() throws {
        let harness = try CompositingHarness()
        let later = Later()
        let compositing = try VideoCompositing(later, on: harness.element)
        let source = try harness.source(CompositingTests.gray)
        source.push(40)
        do {
            let request = try #require(later.take())
            let frame = try #require(request.newFrame())
            let plane = try #require(frame.plane(0))
            let given = try #require(request.sources.first?.plane(0))
            #expect(plane.rows == 8 && given.rows == 8 && frame.light == nil)
            for row in 0..<8 {
                let value = given.row(row).load(as: UInt8.self)
                for x in 0..<16 { plane.row(row).storeBytes(of: value + 1, toByteOffset: x, as: UInt8.self) }
            }
            #expect(request.finish(frame))
        }
        #expect(Set(harness.pull() ?? []) == [41])
        source.push(50)
        do {
            let request = try #require(later.take())
            #expect(request.finish(with: try #require(request.sources.first)))
        }
        #expect(Set(harness.pull() ?? []) == [50])
        source.push(60)
        let request = try #require(later.take())
        compositing.detach()
        #expect(request.isCancelled && !request.fail("late"))
        #expect(later.cancelled.load(ordering: .relaxed) == 1)
        #expect(Set(harness.pull() ?? []) == [60])
    }

    /// A request that is released is an error of the compositor's.
    @Test func aReleasedRequestEndsTheStream() throws {
        let harness = try CompositingHarness()
        let later = Later()
        _ = try VideoCompositing(later, on: harness.element)
        try harness.source(CompositingTests.gray).push(1)
        _ = later.take()
        #expect(try #require(harness.error()).contains("without an answer"))
    }

    @Test func otherElementsTakeNoCompositor() throws {
        GStreamer.started
        let element = try #require(gst_element_factory_make("hdrtap", nil))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let log = Log()
        let error = #expect(throws: TapError.self) { _ = try VideoCompositing(Watcher(log), on: element) }
        #expect(error?.description.contains("hdrcompositor") == true)
        #expect(log.lines.withLock { $0 } == ["released"], "the compositor does not leak")
    }
}
