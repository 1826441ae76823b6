import CGStreamer
import CGstHDR
import CHDRTap
import Glibc
import GstBridge
import HDRConcurrency
import Synchronization
import TestSupport
import Testing

@testable import GstHDR

/// The ways in which requests end: late, twice, wrongly, never.
@Suite(.quiet, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositingAnswerTests {
    /// Requests that are held for an answer to come.
    private final class Held: Sendable {
        private let kept = Mutex<[UInt]>([])

        func keep(_ request: Request) {
            _ = gst_hdr_composition_request_ref(request)
            kept.withLock { $0.append(UInt(bitPattern: request)) }
        }

        /// The first one.
        var request: Request? { kept.withLock { $0.first }.flatMap { Request(bitPattern: $0) } }

        func letGo() {
            let requests = kept.withLock { kept -> [UInt] in
                defer { kept = [] }
                return kept
            }
            for request in requests.compactMap({ Request(bitPattern: $0) }) {
                gst_hdr_composition_request_unref(request)
            }
        }

        deinit { letGo() }
    }

    /// A compositor that holds each request, and answers none.
    private static func silent(_ held: Held) -> CompositorWitness { CompositorWitness { held.keep($0) } }

    private static let gray = CompositingTests.gray

    // MARK: Late answers

    @Test func anAnswerMayComeLaterFromAnyThread() throws {
        let harness = try CompositingHarness()
        let held = Held()
        let witness = Self.silent(held)
        witness.attach(to: harness.element)
        let source = try harness.source(Self.gray)
        for index in 1...3 {
            source.push(1)
            witness.awaitRequests(index)
            let request = try #require(held.request)
            g_usleep(20_000)
            #expect(harness.received == index - 1)
            #expect(CompositorWitness.fill(request, UInt8(index)))
            #expect(Set(harness.pull() ?? []) == [UInt8(index)])
            // The second answer to the same request, of any kind, is refused.
            #expect(!CompositorWitness.fill(request, 99))
            #expect(gst_hdr_composition_request_finish_with_error(request, "late") == 0)
            #expect(gst_hdr_composition_request_finish_cancelled(request) == 0)
            #expect(gst_hdr_composition_request_is_cancelled(request) == 0)
            held.letGo()
        }
        harness.stop()
        #expect(witness.requests == 3 && witness.cancellations == 0 && witness.violations.isEmpty)
    }

    /// A request, with its sources and its context, may be held for longer than the element lives.
    @Test func aRequestOutlivesTheElement() throws {
        let held = Held()
        do {
            let harness = try CompositingHarness()
            let witness = CompositorWitness { request in
                held.keep(request)
                CompositorWitness.fill(request, 1)
            }
            witness.attach(to: harness.element)
            let source = try harness.source(Self.gray)
            source.push(200)
            #expect(harness.pull() != nil)
        }
        let request = try #require(held.request)
        #expect(request.pointee.sources[0]?.pointee.planes?.pointee.data.0?.load(as: UInt8.self) == 200)
        #expect(!CompositorWitness.fill(request, 2))
        held.letGo()
    }

    // MARK: Failures

    @Test(arguments: ["the film has burnt", ""]) func anErrorEndsTheStream(_ text: String) throws {
        let harness = try CompositingHarness()
        let witness = CompositorWitness { request in
            #expect(gst_hdr_composition_request_finish_with_error(request, text) != 0)
        }
        witness.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        let error = try #require(harness.error())
        #expect(text.isEmpty ? error.contains("does not say why") : error == text)
        #expect(harness.received == 0)
    }

    @Test func aRequestThatNobodyHoldsIsAnError() throws {
        let harness = try CompositingHarness()
        CompositorWitness { _ in }.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        #expect(try #require(harness.error()).contains("let go of a request without an answer"))
    }

    @Test func aReferenceThatIsGivenBackIsAnErrorToo() throws {
        let harness = try CompositingHarness()
        let held = Held()
        let witness = Self.silent(held)
        witness.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        witness.awaitRequests(1)
        held.letGo()
        #expect(try #require(harness.error()).contains("let go of a request without an answer"))
    }

    @Test func aTimeoutEndsTheStream() throws {
        let harness = try CompositingHarness()
        harness.set("request-timeout", "50000000")
        let held = Held()
        Self.silent(held).attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        #expect(try #require(harness.error()).contains("within 0.05 s"))
        #expect(!CompositorWitness.fill(try #require(held.request), 1))
    }

    @Test func aTimeoutCountsTimeInsideTheCallback() throws {
        let harness = try CompositingHarness()
        harness.set("request-timeout", "1000000000")
        let held = Held()
        let returned = Mutex(MonotonicClock.now())
        let witness = CompositorWitness { request in
            held.keep(request)
            usleep(1_050_000)
            returned.withLock { $0 = MonotonicClock.now() }
        }
        witness.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        #expect(try #require(harness.error()).contains("within 1.0 s"))
        #expect(MonotonicClock.now() - returned.withLock { $0 } < MonotonicClock.second)
    }

    /// A frame of another size, in planes and in light.
    @Test(arguments: [(GST_HDR_TAP_PLANES, 127), (GST_HDR_TAP_PLANES, 0), (GST_HDR_TAP_LIGHT_HALF, 128)])
    func aFrameOfAnotherSizeIsAnError(view: GstHdrTapView, bytes: Int) throws {
        let harness = try CompositingHarness()
        let witness = CompositorWitness({ $0.frame_view = view }) { request in
            let frame = gst_buffer_new_allocate(nil, gsize(bytes), nil)
            #expect(gst_hdr_composition_request_finish(request, frame) == 0)
        }
        witness.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        #expect(try #require(harness.error()).contains("a frame of \(bytes) bytes"))
    }

    @Test func anotherRequestsSourceIsAnError() throws {
        let harness = try CompositingHarness()
        let witness = CompositorWitness { request in
            var source = GstHdrCompositionSource()
            #expect(gst_hdr_composition_request_finish_with_source(request, &source) == 0)
        }
        witness.attach(to: harness.element)
        try harness.source(Self.gray).push(1)
        #expect(try #require(harness.error()).contains("none of the request's"))
    }

    @Test func callbacksWithDefectsAreRefused() throws {
        let harness = try CompositingHarness()
        let defects: [(String, (inout GstHdrCompositorCallbacks) -> Void)] = [
            ("sizeof (GstHdrCompositorCallbacks)", { $0.size = 8 }),
            ("source_view to 7", { $0.source_view = GstHdrTapView(7) }),
            ("frame_view to 9", { $0.frame_view = GstHdrTapView(9) }),
            ("color_space to 4", { $0.color_space = GstHdrTapColorSpace(4) }),
        ]
        for (text, defect) in defects {
            let witness = CompositorWitness(defect) { _ in }
            let refusal = try #require(witness.attach(to: harness.element))
            #expect(refusal.contains(text), "\(refusal)")
            #expect(witness.record.withLock { !$0.isInitialized && $0.notified == 0 })
        }
        var callbacks = GstHdrCompositorCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrCompositorCallbacks>.size)
        var problem: UnsafeMutablePointer<GError>?
        #expect(gst_hdr_compositor_set_callbacks(harness.element, &callbacks, nil, nil, &problem) == 0)
        #expect(problem.map { String(cString: $0.pointee.message) }?.contains("start_request is NULL") == true)
        g_clear_error(&problem)
    }

    // MARK: Cancellation

    enum Interruption: CaseIterable { case flush, seek, stop, detach, replace, release }

    /// A compositor that never answers holds nothing up.
    @Test(arguments: Interruption.allCases) func aPendingRequestIsCancelled(_ interruption: Interruption) throws {
        let harness = try CompositingHarness()
        let held = Held()
        // When the compositor hears of it, the request already refuses answers.
        let witness = CompositorWitness(
            cancel: {
                guard let request = held.request else { return }
                #expect(gst_hdr_composition_request_is_cancelled(request) != 0)
                #expect(gst_hdr_composition_request_finish_cancelled(request) == 0)
            },
            { held.keep($0) })
        witness.attach(to: harness.element)
        let source = try harness.source(Self.gray)
        let other = try harness.source(Self.gray)
        source.push(30)
        other.push(200)
        witness.awaitRequests(1)
        let request = try #require(held.request)
        let next = CompositorWitness.filling(44)
        switch interruption {
        case .flush:
            source.flush()
            other.flush()
        case .seek: harness.seek()
        case .stop: harness.stop()
        case .detach: gst_hdr_compositor_remove_callbacks(harness.element)
        case .replace: next.attach(to: harness.element)
        case .release: other.release()
        }
        // Between the flushes of two pads another picture may be asked for.
        #expect(interruption == .flush ? witness.cancellations >= 1 : witness.cancellations == 1)
        #expect(gst_hdr_composition_request_is_cancelled(request) != 0)
        #expect(!CompositorWitness.fill(request, 1), "an answer after cancellation is refused")
        #expect(gst_hdr_composition_request_finish_with_error(request, "late") == 0)
        // Sources of a cancelled request stay as they are.
        #expect(request.pointee.sources[0]?.pointee.planes?.pointee.data.0?.load(as: UInt8.self) == 30)
        switch interruption {
        // Loose pads know of no seeks: nothing comes after one.
        case .stop, .seek: break
        case .detach: #expect(Set(harness.pull() ?? []) == [200])
        case .replace: #expect(Set(harness.pull() ?? []) == [44])
        case .flush, .release:
            // The stream goes on with the next pictures.
            next.attach(to: harness.element)
            if interruption == .flush { other.push(31) }
            source.push(31)
            #expect(Set(harness.pull() ?? []) == [44])
        }
        held.letGo()
        harness.stop()
        #expect(witness.violations.isEmpty)
        if [.detach, .replace].contains(interruption) { #expect(witness.awaitEnd()) }
    }

    /// A compositor may leave within its own calls.
    @Test func aCompositorDetachesItself() throws {
        let harness = try CompositingHarness()
        nonisolated(unsafe) let element = harness.element
        let witness = CompositorWitness { request in
            gst_hdr_compositor_remove_callbacks(element)
            #expect(!CompositorWitness.fill(request, 1))
        }
        witness.attach(to: element)
        let source = try harness.source(Self.gray)
        source.push(30)
        #expect(Set(harness.pull() ?? []) == [30])
        #expect(witness.awaitEnd() && witness.cancellations == 1)
    }
}
