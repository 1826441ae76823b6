import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRConcurrency
import HDRExport
import HDRMetadata

/// The Swift half of the element `hdrcompositor`.
///
/// The user's settings can change on any thread and are protected by a lock. Everything else belongs to the
/// aggregator's thread: the negotiated canvas, and for each pad the conversion of its pictures to the canvas's light.
final class HDRCompositor: ElementObject {
    static var errorCode: MessageCode { .stream() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrCompositor>
    let log: Log
    let settings = Locked(Settings())

    /// The greatest dynamic range of any pad since the start: once HDR, the canvas stays HDR, whichever pads come and
    /// go.
    var reachedRange = DynamicRange.sdr
    /// The common colour of all pads since the start, by dynamic range; its gamut never shrinks.
    var reachedColors: [DynamicRange: ColorDescription] = [:]
    /// The pads that last determined the canvas's colour.
    var colorPads: [Pad] = []
    /// Whether downstream had caps of such a canvas when the element started, as in a timeline, which stops it between
    /// clips. `nil` before the first negotiation.
    var continuesCanvas: Bool?
    /// The canvas; `nil` before caps are negotiated.
    var canvas: Canvas?
    /// Conversions to the canvas's light, by the address of the pad.
    var sources: [UnsafeRawPointer: LayerSource] = [:]
    /// Metadata and scene states, by the address of the pad.
    var scenes: [UnsafeRawPointer: PadScene] = [:]
    /// Addresses of pads that were flushed or released since the last picture; any thread.
    let interruptedPads = Locked<Set<UInt>>([])
    /// Wipe data of the pads that have had a wipe, by the address of the pad.
    var wipes: [UnsafeRawPointer: PadWipe] = [:]
    /// Pads for which an error or warning was already reported.
    var reported: Set<UnsafeRawPointer> = []

    /// The state of an application's compositor, and the request that waits for it; any thread.
    let custom = Monitor(CustomState())
    /// The instructions for that compositor; any thread.
    let instructions = Locked<[CompositionInstruction]>([])
    /// The compositor behind the element's signals.
    let signals: SignalCompositor
    /// The caps of `canvas`.
    var canvasCaps: OwnedCaps?
    /// Memory for the frames that the element composes itself while a compositor is attached.
    var ownFrames: FrameMemory?
    var picture = CustomPicture()

    init(element: UnsafeMutablePointer<GstHdrCompositor>) {
        self.element = element
        signals = SignalCompositor(element)
        log = Log(category: gst_hdr_compositor_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    func stop() {
        reachedRange = .sdr
        reachedColors = [:]
        colorPads = []
        continuesCanvas = nil
        canvas = nil
        sources = [:]
        scenes = [:]
        wipes = [:]
        reported = []
        canvasCaps = nil
        ownFrames = nil
        dropPicture()
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_compositor_new(_ element: UnsafeMutablePointer<GstHdrCompositor>!) -> gpointer! {
    HDRCompositor(element: element).impl
}

@c @implementation
func hdr_compositor_free(_ impl: gpointer!) {
    HDRCompositor.free(impl)
}

@c @implementation
func hdr_compositor_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRCompositor.with(impl) { object in
        object.settings.withLock { $0.set(GstHdrCompositorProp(id), value) }
    }
}

@c @implementation
func hdr_compositor_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRCompositor.with(impl) { $0.settings.current.get(GstHdrCompositorProp(id), value) }
}

@c @implementation
func hdr_compositor_fixate_caps(
    _ impl: gpointer!, _ caps: UnsafeMutablePointer<GstCaps>!, _ layers: UnsafePointer<GstHdrCompositorLayer>!,
    _ count: gsize
) -> UnsafeMutablePointer<GstCaps>! {
    HDRCompositor.with(impl) { $0.fixate(caps, UnsafeBufferPointer(start: layers, count: Int(count))) }
}

@c @implementation
func hdr_compositor_set_caps(_ impl: gpointer!, _ caps: UnsafeMutablePointer<GstCaps>!) -> gboolean {
    HDRCompositor.with(impl) { $0.setCaps(caps) } ? 1 : 0
}

@c @implementation
func hdr_compositor_compose(
    _ impl: gpointer!, _ output: UnsafeMutablePointer<GstBuffer>!, _ layers: UnsafePointer<GstHdrCompositorLayer>!,
    _ count: gsize
) -> GstFlowReturn {
    HDRCompositor.with(impl) { $0.composeAny(output, UnsafeBufferPointer(start: layers, count: Int(count))) }
}

@c @implementation
func hdr_compositor_stop(_ impl: gpointer!) {
    HDRCompositor.with(impl) { $0.stop() }
}
