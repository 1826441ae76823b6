import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels

/// Composes pictures in place of the element's own blending.
///
/// `contextChanged` and `start` are called on the aggregator's thread, `cancelAll` on any thread, also at the same
/// time; `finalize` is called once, after the last of these calls has returned.
class CustomCompositor: @unchecked Sendable {
    /// The form in which this compositor gets the pictures of its sources.
    var sources: SourceRequest { SourceRequest() }
    /// The form of light in which output frames are made; `nil` where they have the canvas's planes.
    var frameLight: LightRequest? { nil }

    /// The number of threads that use this compositor, which must all have finished before `finalize`; protected by the
    /// lock of the element's `custom`.
    final var uses = 0
    /// Whether `finalize` was called or is about to be; protected by the same lock.
    final var isFinalized = false
    /// The last render context that it was told; aggregator's thread only.
    final var context: RenderContext?
    /// The conversion of each pad's pictures; aggregator's thread only.
    final var conversions: [UnsafeRawPointer: SourceConversion] = [:]

    func contextChanged(_ context: RenderContext) {}
    func start(_ request: CompositionRequest) { request.answer(.builtIn) }
    func cancelAll() {}
    func finalize() {}
}

/// The form in which an application's compositor gets the pictures of its sources.
struct SourceRequest: Equatable {
    /// Whether pictures may have wider primaries than BT.709.
    var takesWideColor = false
    /// Whether pictures may be HDR, with any primaries.
    var takesHDR = false
    /// The component type of light; `nil` for planes in the source's own format.
    var element: LightElement?
    /// The primaries of light.
    var space = LightSpace.bt2020
}

/// A compositor made of an application's callbacks.
final class CallbackCompositor: CustomCompositor, @unchecked Sendable {
    private let callbacks: GstHdrCompositorCallbacks
    private let userData: gpointer?
    private let notify: GDestroyNotify?
    /// The structure that the callbacks get for this compositor.
    private let compositing: UnsafeMutablePointer<GstHdrCompositing>

    /// Calls the callback init.
    /// - Parameter callbacks: must have passed ``defect(_:)``.
    init(_ callbacks: GstHdrCompositorCallbacks, userData: gpointer?, notify: GDestroyNotify?) {
        self.callbacks = callbacks
        self.userData = userData
        self.notify = notify
        compositing = .allocate(capacity: 1)
        compositing.initialize(
            to: GstHdrCompositing(
                size: gsize(MemoryLayout<GstHdrCompositing>.size), user_data: userData, storage: nil))
        super.init()
        callbacks.`init`?(compositing, userData)
    }

    deinit { compositing.deallocate() }

    /// Why callbacks cannot be attached; `nil` where they can. Reads nothing beyond the structure's own size.
    static func defect(_ callbacks: UnsafePointer<GstHdrCompositorCallbacks>) -> String? {
        let known = MemoryLayout<GstHdrCompositorCallbacks>.size
        let size = callbacks.pointee.size
        // Later versions of the structure are longer, and their elements still accept this size.
        guard Int(clamping: size) >= known else {
            return "The callbacks' size is \(size) and not \(known): set it to sizeof (GstHdrCompositorCallbacks)"
        }
        guard callbacks.pointee.start_request != nil else {
            return "The callback start_request is NULL: it is the one that must be given"
        }
        let views = [GST_HDR_TAP_PLANES, GST_HDR_TAP_LIGHT_HALF, GST_HDR_TAP_LIGHT_FLOAT]
        for (name, view) in [
            ("source_view", callbacks.pointee.source_view), ("frame_view", callbacks.pointee.frame_view),
        ] where !views.contains(view) {
            return "The callbacks set \(name) to \(view.rawValue); GstHdrTapView has 0 to 2"
        }
        let space = callbacks.pointee.color_space
        if space != GST_HDR_TAP_COLOR_SPACE_DEFAULT && LightSpace(space) == nil {
            return "The callbacks set color_space to \(space.rawValue); GstHdrTapColorSpace has 0 to 3"
        }
        return nil
    }

    func belongs(to userData: gpointer) -> Bool { self.userData == userData }

    override var sources: SourceRequest {
        SourceRequest(
            takesWideColor: callbacks.supports_wide_color_source_frames != 0,
            takesHDR: callbacks.supports_hdr_source_frames != 0, element: LightElement(callbacks.source_view),
            space: LightSpace(callbacks.color_space) ?? .bt2020)
    }

    override var frameLight: LightRequest? {
        LightElement(callbacks.frame_view).map {
            LightRequest(element: $0, space: LightSpace(callbacks.color_space) ?? .bt2020)
        }
    }

    override func contextChanged(_ context: RenderContext) {
        callbacks.render_context_changed?(compositing, context.interface)
    }

    override func start(_ request: CompositionRequest) { callbacks.start_request?(compositing, request.interface) }
    override func cancelAll() { callbacks.cancel_all_pending_requests?(compositing) }

    override func finalize() {
        callbacks.finalize?(compositing)
        notify?(userData)
    }
}

extension LightElement {
    /// The component type of a view; `nil` for planes.
    fileprivate init?(_ view: GstHdrTapView) {
        switch view {
        case GST_HDR_TAP_LIGHT_HALF: self = .half
        case GST_HDR_TAP_LIGHT_FLOAT: self = .single
        default: return nil
        }
    }
}
