import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRConcurrency
import HDRKernels
import HDRMetadata

/// The Swift half of the element `hdrconvert`.
///
/// The user's settings can change on any thread and are protected by a lock. Everything else belongs to the streaming
/// thread: what was negotiated, and the plan that was made from it and from a copy of the settings.
final class HDRConvert: ElementObject {
    static var errorCode: MessageCode { .stream() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrConvert>
    let log: Log
    let settings = Locked(Settings())

    var negotiated: Negotiated?
    /// The metadata that fixation last wrote into the output caps, and the part of them that downstream requested.
    var fixated: (metadata: StaticMetadata, requested: StaticMetadata)?
    /// Whether a setting has changed since the output caps were fixated, so that their metadata may be wrong.
    var metadataIsDue = false
    /// The settings that the plan was made with.
    var plannedSettings: Settings?
    /// The present plan; `nil` for passthrough, and before caps are negotiated.
    var plan: Plan?
    var pool: RowPool?
    /// Memory for contrast recovery, shared by the plans for pictures of its size.
    var recoveryMap: RecoveryMap?

    /// Measures pictures and follows their scenes; `nil` where the peak does not come from the pictures.
    var scene: SceneDetection?
    /// Peak and average of the scene that the plan was made for, in cd/m².
    var sceneLight: (peak: Double, average: Double)?
    /// The share of highlights of the SDR scene that the plan was made for.
    var sceneHighlights: Double?
    /// Whether the peak comes from the scenes of the property `scene-light`.
    var followsScenes = false
    /// Collects the light of the present scene for a second pass.
    var survey = SceneSurvey()
    /// The peak of the target and that of the static metadata, in cd/m².
    var staticPeaks: (target: Double, declared: Double?)?
    /// Plans of the most recent scenes, reused when the light returns to one of them (after a flash, or between two
    /// camera angles).
    var recentPlans: [Plan] = []
    /// The light and reshaping in the dynamic metadata of the picture that is converted next.
    var dynamics: PictureDynamics?
    var dynamicsReader = PictureDynamicsReader()
    /// Converts the RPU of a reshaped base layer to profile 8.1, for the PQ picture made from it.
    var pictureRPU = PictureRPU()
    /// Reshapes base layers of Dolby Vision; `nil` where the plan needs none.
    var reshaper: Reshaper?
    /// Whether an error was posted for a profile 5 base layer (IPTPQc2), which cannot be shown without its RPU.
    var hasRefusedBaseLayer = false
    /// Whether upstream is live; `nil` before it was asked.
    var isLive: Bool?
    /// The waiting pictures, and how many of them are to be converted now.
    var held: [HeldPicture] = []
    var due = 0
    /// The events behind the last waiting picture; owned.
    var events: [UnsafeMutablePointer<GstEvent>] = []
    /// Whether no picture follows those that wait.
    var hasEnded = false
    /// Whether a picture was converted since the start, or the last flush.
    var hasShownFirst = false
    /// The time by which waiting pictures are delayed, in ns.
    let latency = Locked<UInt64>(0)
    /// Whether the light of the output differs from that of the source; any thread.
    let changesLight = Locked(false)
    /// Whether the warning was posted that the value of `GST_HDR_CPU` is ignored.
    var hasComplained = false
    /// Defects of metadata that were reported; each is reported once per stream.
    var reportedDefects: [String] = []
    /// The reason in the last error, so that it is not repeated.
    var reportedReason: String?
    /// The refusals that were reported since the start.
    let reportedRefusals = Locked<[String]>([])

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
        dropHeld(keepsTags: false)
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
func hdr_convert_attach_metadata(
    _ impl: gpointer!, _ inbuf: UnsafeMutablePointer<GstBuffer>!, _ outbuf: UnsafeMutablePointer<GstBuffer>!
) {
    HDRConvert.with(impl) { $0.attachMetadata(to: outbuf, from: inbuf) }
}

@c @implementation
func hdr_convert_check_buffer(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    HDRConvert.with(impl) { $0.checkBuffer(buffer) }
}

@c @implementation
func hdr_convert_caps_query_answered(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) {
    HDRConvert.with(impl) { $0.capsQueryAnswered(query) }
}

@c @implementation
func hdr_convert_refused(_ impl: gpointer!, _ caps: UnsafeMutablePointer<GstCaps>!) {
    HDRConvert.with(impl) { $0.refused(caps) }
}

@c @implementation
func hdr_convert_report_missing_caps(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.reportMissingCaps() }
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
func hdr_convert_release_held(_ impl: gpointer!, _ isEnd: gboolean) {
    HDRConvert.with(impl) { $0.release(isEnd: isEnd != 0) }
}

@c @implementation
func hdr_convert_drop_held(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.dropHeld(keepsTags: true) }
}

@c @implementation
func hdr_convert_holds_event(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) -> gboolean {
    HDRConvert.with(impl) { $0.holds(event) } ? 1 : 0
}

@c @implementation
func hdr_convert_ended(_ impl: gpointer!) {
    HDRConvert.with(impl) { $0.endScene() }
}

@c @implementation
func hdr_convert_max_held_buffers(_ impl: gpointer!) -> guint {
    HDRConvert.with(impl) { $0.maxHeldBuffers }
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
