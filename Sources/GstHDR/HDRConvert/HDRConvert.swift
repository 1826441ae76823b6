import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRConcurrency
import HDRKernels
import HDRMetadata

/// The Swift half of the element `hdrconvert`.
///
/// The user's settings can change on any thread and live behind a lock. Everything else belongs to the streaming
/// thread: what was negotiated, and the plan that was made from it and from a copy of the settings.
final class HDRConvert: ElementObject {
    static var errorCode: MessageCode { .stream() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrConvert>
    let log: Log
    let settings = Locked(Settings())

    var negotiated: Negotiated?
    /// The metadata that fixation has last written into the output caps, and what of it downstream requested.
    var fixated: (metadata: StaticMetadata, requested: StaticMetadata)?
    /// Whether a setting has changed since the output caps were fixated, so that their metadata may be wrong.
    var metadataIsDue = false
    /// The settings that the plan was made with.
    var plannedSettings: Settings?
    /// `nil` for passthrough, and before caps are negotiated.
    var plan: Plan?
    var pool: RowPool?
    /// For contrast recovery: shared by the plans for pictures of its size.
    var recoveryMap: RecoveryMap?

    /// Measures pictures and follows their scenes; `nil` where the peak does not come from the pictures.
    var scene: SceneDetection?
    /// Peak and average of the scene that the plan was made for, in cd/m².
    var sceneLight: (peak: Double, average: Double)?
    /// The share of highlights of the SDR scene that the plan was made for.
    var sceneHighlights: Double?
    /// Whether the peak is that of scenes which were measured before.
    var followsScenes = false
    /// The scene that is being measured, for a second pass.
    var survey = SceneSurvey()
    /// The target's peak, and that of the metadata, in cd/m².
    var staticPeaks: (target: Double, declared: Double?)?
    /// Conversions of scenes of late: a flash, or a dialogue, comes back to them.
    var recentPlans: [Plan] = []
    /// What the dynamic metadata of the picture say that is converted next.
    var dynamics: PictureDynamics?
    var dynamicsReader = PictureDynamicsReader()
    /// The RPU of the last picture that was made of a base layer, as it is on the picture.
    var pictureRPU = PictureRPU()
    /// Makes a picture of Dolby Vision's base layer; `nil` where the plan needs none.
    var reshaper: Reshaper?
    /// Whether an error was posted for a base layer that is no picture.
    var hasRefusedBaseLayer = false
    /// Whether upstream is live; `nil` before it was asked.
    var isLive: Bool?
    /// Pictures that wait, and how many of them are to be converted now.
    var held: [HeldPicture] = []
    var due = 0
    /// Whether a picture was converted since the start, or the last flush.
    var hasShownFirst = false
    /// The time that pictures wait, in ns.
    let latency = Locked<UInt64>(0)
    /// Whether the light of pictures is another than what came; any thread.
    let changesLight = Locked(false)
    /// Whether the warning was posted that `GST_HDR_CPU` is not followed.
    var hasComplained = false
    /// Defects of metadata that were reported, so that each is reported once for a stream.
    var reportedDefects: [String] = []
    /// The reason that the last error gave.
    var reportedReason: String?
    /// The refusals that were reported since the start.
    let reportedRefusals = Locked<[String]>([])

    /// Peaks below this, in cd/m², count as not set.
    static let lowestPeak = 1.0

    init(element: UnsafeMutablePointer<GstHdrConvert>) {
        self.element = element
        log = Log(category: gst_hdr_convert_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    var transform: UnsafeMutablePointer<GstBaseTransform> { element.cast() }

    func setProperty(_ property: GstHdrConvertProp, _ value: UnsafePointer<GValue>) {
        settings.withLock { $0.set(property, value) }
        guard property == GST_HDR_CONVERT_PROP_SCENE_LIGHT else { return }
        let problems = settings.current.scenes.problems
        if !problems.isEmpty {
            ElementMessage.refusal(gstElement, "scene-light: left out: \(problems.joined(separator: "; "))")
        }
    }

    func getProperty(_ property: GstHdrConvertProp, _ value: UnsafeMutablePointer<GValue>) {
        settings.current.get(property, value)
    }

    func stop() {
        dropHeld()
        scene = nil
        followsScenes = false
        sceneLight = nil
        sceneHighlights = nil
        staticPeaks = nil
        recentPlans = []
        dynamics = nil
        dynamicsReader = PictureDynamicsReader()
        pictureRPU = PictureRPU()
        reshaper = nil
        hasRefusedBaseLayer = false
        isLive = nil
        latency.withLock { $0 = 0 }
        negotiated = nil
        fixated = nil
        plannedSettings = nil
        plan = nil
        pool = nil
        reportedDefects = []
        reportedReason = nil
        reportedRefusals.withLock { $0 = [] }
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_convert_new(_ element: UnsafeMutablePointer<GstHdrConvert>!) -> gpointer! {
    HDRConvert(element: element).impl
}

@c @implementation
func hdr_convert_free(_ impl: gpointer!) {
    HDRConvert.free(impl)
}

@c @implementation
func hdr_convert_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRConvert.with(impl) { $0.setProperty(GstHdrConvertProp(id), value) }
}

@c @implementation
func hdr_convert_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRConvert.with(impl) { $0.getProperty(GstHdrConvertProp(id), value) }
}

@c @implementation
func hdr_convert_transform_caps(
    _ impl: gpointer!, _ direction: GstPadDirection, _ caps: UnsafeMutablePointer<GstCaps>!,
    _ filter: UnsafeMutablePointer<GstCaps>!
) -> UnsafeMutablePointer<GstCaps>! {
    HDRConvert.with(impl) { $0.transformCaps(caps, filter: filter) }
}

@c @implementation
func hdr_convert_fixate_caps(
    _ impl: gpointer!, _ direction: GstPadDirection, _ caps: UnsafeMutablePointer<GstCaps>!,
    _ othercaps: UnsafeMutablePointer<GstCaps>!
) -> UnsafeMutablePointer<GstCaps>! {
    HDRConvert.with(impl) { $0.fixateCaps(othercaps, from: caps, direction: direction) }
}

@c @implementation
func hdr_convert_set_info(
    _ impl: gpointer!, _ in_caps: UnsafeMutablePointer<GstCaps>!, _ in_info: UnsafeMutablePointer<GstVideoInfo>!,
    _ out_caps: UnsafeMutablePointer<GstCaps>!, _ out_info: UnsafeMutablePointer<GstVideoInfo>!
) -> gboolean {
    HDRConvert.with(impl) { $0.setInfo(in_caps, in_info.pointee, out_caps, out_info.pointee) } ? 1 : 0
}

@c @implementation
func hdr_convert_before_transform(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) {
    HDRConvert.with(impl) { $0.beforeTransform(buffer) }
}

@c @implementation
func hdr_convert_transform_size(
    _ impl: gpointer!, _ othercaps: UnsafeMutablePointer<GstCaps>!, _ othersize: UnsafeMutablePointer<gsize>!
) -> gboolean {
    HDRConvert.with(impl) { $0.transformSize(othercaps, othersize) } ? 1 : 0
}

@c @implementation
func hdr_convert_keeps_meta(
    _ impl: gpointer!, _ tags: UnsafePointer<UnsafePointer<gchar>?>!, _ describes_light: gboolean
) -> gboolean {
    HDRConvert.with(impl) { $0.keepsMeta(tags, describesLight: describes_light != 0) } ? 1 : 0
}

@c @implementation
func hdr_convert_describe(
    _ impl: gpointer!, _ inbuf: UnsafeMutablePointer<GstBuffer>!, _ outbuf: UnsafeMutablePointer<GstBuffer>!
) {
    HDRConvert.with(impl) { $0.describe(outbuf, from: inbuf) }
}

@c @implementation
func hdr_convert_check_buffer(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    HDRConvert.with(impl) { $0.checkBuffer(buffer) }
}

@c @implementation
func hdr_convert_answered(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) {
    HDRConvert.with(impl) { $0.answered(query) }
}

@c @implementation
func hdr_convert_refused(_ impl: gpointer!, _ caps: UnsafeMutablePointer<GstCaps>!) {
    HDRConvert.with(impl) { $0.refused(caps) }
}

@c @implementation
func hdr_convert_misses_caps(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.missesCaps() }
}

@c @implementation
func hdr_convert_transform_frame(
    _ impl: gpointer!, _ in_frame: UnsafeMutablePointer<GstVideoFrame>!,
    _ out_frame: UnsafeMutablePointer<GstVideoFrame>!
) -> GstFlowReturn {
    HDRConvert.with(impl) { $0.transformFrame(in_frame, out_frame) }
}

@c @implementation
func hdr_convert_submitted(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.submitted() }
}

@c @implementation
func hdr_convert_take_held(_ impl: gpointer!) -> UnsafeMutablePointer<GstBuffer>! {
    HDRConvert.with(impl) { $0.takeHeld() }
}

@c @implementation
func hdr_convert_release_held(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.release() }
}

@c @implementation
func hdr_convert_drop_held(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.dropHeld() }
}

@c @implementation
func hdr_convert_ended(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.endScene() }
}

@c @implementation
func hdr_convert_most_held(_ impl: gpointer!) -> guint {
    HDRConvert.with(impl) { $0.mostHeld }
}

@c @implementation
func hdr_convert_changes_light(_ impl: gpointer!) -> gboolean {
    HDRConvert.with(impl) { $0.changesLight.current } ? 1 : 0
}

@c @implementation
func hdr_convert_latency(_ impl: gpointer!) -> GstClockTime {
    HDRConvert.with(impl) { GstClockTime($0.latency.current) }
}

@c @implementation
func hdr_convert_stop(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.stop() }
}
