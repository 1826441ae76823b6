import CGStreamer
import CHDRTap
import Glibc
import Synchronization
import TestSupport
import Testing

/// Compositors that come and go, and answer in every way, while pictures pass, flushes happen and pads are taken away.
///
/// GStreamer hands the element to a thread of its own by locks of GLib's, which ThreadSanitizer does not know: it would
/// call everything that this thread reads a race.
@Suite(
    .quiet, .serialized, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositingStormTests {
    /// Answers later, from a thread of its own, which holds the requests.
    private final class Answerer: Sendable {
        private let queue = Mutex<[UInt]>([])
        private let isOver = Atomic<Bool>(false)

        func add(_ request: Request) {
            _ = gst_hdr_composition_request_ref(request)
            queue.withLock { $0.append(UInt(bitPattern: request)) }
        }

        func run(_ seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            while true {
                let isLast = isOver.load(ordering: .acquiring)
                guard let bits = queue.withLock({ $0.popLast() }), let request = Request(bitPattern: bits) else {
                    if isLast { return }
                    g_usleep(200)
                    continue
                }
                // Some are let go of without an answer where nobody wants them any more.
                if Int.random(in: 0..<4, using: &random) > 0 || gst_hdr_composition_request_is_cancelled(request) == 0 {
                    CompositorWitness.fill(request, 3)
                }
                gst_hdr_composition_request_unref(request)
            }
        }

        func end() { isOver.store(true, ordering: .releasing) }
    }

    private static func compositor(_ kind: Int, _ answerer: Answerer) -> CompositorWitness {
        switch kind {
        case 0: CompositorWitness.filling(7)
        case 1: CompositorWitness { answerer.add($0) }
        case 2:
            CompositorWitness { request in
                if request.pointee.n_sources > 0 {
                    _ = gst_hdr_composition_request_finish_with_source(request, request.pointee.sources[0])
                } else {
                    _ = gst_hdr_composition_request_finish_cancelled(request)
                }
            }
        case 3: CompositorWitness({ $0.source_view = GST_HDR_TAP_LIGHT_HALF }) { answerer.add($0) }
        default:
            CompositorWitness({ $0.frame_view = GST_HDR_TAP_LIGHT_FLOAT }) { request in
                CompositorWitness.fill(request, 0)
                CompositorWitness.fill(request, 1)
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func compositorsComeAndGo(_ seed: UInt64) throws {
        let harness = try CompositingHarness()
        let steady = try harness.source(CompositingTests.gray)
        let shaken = try harness.source(CompositingTests.gray)
        let answerer = Answerer()
        let remaining = Atomic<Int>(2)
        let rounds = TestWork.scaled(400, least: 20)
        let all = Mutex<[CompositorWitness]>([])
        nonisolated(unsafe) let element = harness.element
        @Sendable func haveMet() -> Bool { all.withLock { $0.contains { $0.requests > 0 } } }
        @Sendable func exchange(_ thread: UInt64) {
            var random = SeededGenerator(seed: seed &* 7 &+ thread)
            for _ in 0..<rounds {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    gst_hdr_compositor_remove_callbacks(element)
                } else {
                    let witness = Self.compositor(Int.random(in: 0..<5, using: &random), answerer)
                    all.withLock { $0.append(witness) }
                    witness.attach(to: element)
                }
                g_usleep(UInt.random(in: 0..<2000, using: &random))
            }
            // Where pictures are slow, none of them may have met a compositor yet.
            for turn in 0..<6000 where thread == 1 && !haveMet() {
                if turn % 100 == 0 {
                    let witness = Self.compositor(0, answerer)
                    all.withLock { $0.append(witness) }
                    witness.attach(to: element)
                }
                g_usleep(10_000)
            }
            remaining.subtract(1, ordering: .releasing)
        }
        @Sendable func pour(_ source: CompositingHarness.Source, flushing: Bool) {
            var random = SeededGenerator(seed: seed &+ (flushing ? 99 : 98))
            while remaining.load(ordering: .acquiring) > 0 {
                source.push(UInt16.random(in: 0...255, using: &random))
                if flushing && Int.random(in: 0..<20, using: &random) == 0 { source.flush() }
            }
        }
        @Sendable func drain() {
            while remaining.load(ordering: .acquiring) > 0 {
                if let buffer = harness.tryPull() { gst_buffer_unref(buffer) } else { g_usleep(500) }
            }
            // What still pours in is let through, so that those threads see the end.
            gst_hdr_compositor_remove_callbacks(element)
            harness.stop()
        }
        onThreads([
            { exchange(1) }, { exchange(2) }, { pour(steady, flushing: false) }, { pour(shaken, flushing: true) },
            { drain() }, { answerer.run(seed) },
            {
                while remaining.load(ordering: .acquiring) > 0 { g_usleep(1000) }
                answerer.end()
            },
        ])
        for _ in 0..<500 where !all.withLock({ $0.allSatisfy { $0.isOver } }) { g_usleep(10_000) }
        let witnesses = all.withLock { $0 }
        #expect(witnesses.flatMap(\.violations).isEmpty)
        #expect(witnesses.allSatisfy { $0.isOver })
        #expect(haveMet())
        #expect(harness.errorsSoFar().isEmpty)
    }
}
