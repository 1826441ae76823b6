import CGStreamer
import CGstHDRX265
import GstBridge
import HDRConcurrency

/// The Swift half of the element `hdrx265enc`.
///
/// The user's settings and requests for key frames come on any thread and are protected by locks. Everything else
/// belongs to the thread that holds the base class's stream lock.
final class HDRX265Enc: ElementObject {
    static var errorCode: MessageCode { .library() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrX265Enc>
    let log: Log
    let settings = Locked(Settings())
    /// Requests for key frames before the first coded picture; any thread.
    let requests = Locked(KeyFrameRequests())

    /// The format of the pictures, and their caps, which this object owns.
    var inputState: UnsafeMutablePointer<GstVideoCodecState>?
    var plan: Plan?
    /// The caps that were checked last, which this object owns.
    var seenCaps: Caps.Pointer?
    /// The encoder, opened for the first picture, when the metadata of pictures are known.
    var encoder: X265Encoder?
    var splitter = ChromaSplitter()
    /// The target bit rate of the encoder, in kbit/s.
    var currentBitrate: guint = 0
    /// The timestamp of the last picture passed to the encoder, in ns.
    var lastTime: Int64 = 0
    /// Whether the parameter sets have to be inserted before the next key frame, or before the first picture.
    var needsStart = true
    /// The frame numbers for which a key frame was requested with all headers.
    var headerRequests: Set<UInt32> = []
    /// The metadata of the pictures in the encoder, by frame number.
    var waiting: [UInt32: PictureMetadata] = [:]
    /// Whether the encoder was opened for Dolby Vision.
    var isForDolbyVision = false
    /// The number of pictures in the previous pass, where the encoder uses its statistics; `nil` for any.
    var passPictures: Int?
    /// The number of pictures passed to the encoder.
    var picturesTaken = 0
    /// Defects of metadata that were reported; each is reported once per stream.
    var reported: Set<String> = []

    init(element: UnsafeMutablePointer<GstHdrX265Enc>) {
        self.element = element
        log = Log(category: gst_hdr_x265_enc_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    deinit { dropState() }

    var base: UnsafeMutablePointer<GstVideoEncoder> { element.cast() }

    func setProperty(_ property: GstHdrX265EncProp, _ value: UnsafePointer<GValue>) {
        settings.withLock { $0.set(property, value) }
    }

    func getProperty(_ property: GstHdrX265EncProp, _ value: UnsafeMutablePointer<GValue>) {
        settings.current.get(property, value)
    }

    func start() -> Bool {
        // Decoding timestamps precede those of presentation where there are B-frames, and must not be negative.
        gst_video_encoder_set_min_pts(base, GstClockTime(Self.earliest))
        return true
    }

    /// The smallest presentation timestamp: 1000 hours in ns, as in x264enc and x265enc.
    static let earliest: UInt64 = 3_600_000 * ClockTime.second

    func stop() {
        flush()
        plan = nil
        dropState()
        reported = []
    }

    func flush() {
        closeEncoder()
        requests.withLock { $0 = KeyFrameRequests() }
    }

    func closeEncoder() {
        encoder = nil
        headerRequests = []
        waiting = [:]
    }

    func keepState(_ state: UnsafeMutablePointer<GstVideoCodecState>) {
        let kept = gst_video_codec_state_ref(state)
        dropState()
        inputState = kept
    }

    private func dropState() {
        if let inputState { gst_video_codec_state_unref(inputState) }
        inputState = nil
        if let seenCaps { gst_caps_unref(seenCaps) }
        seenCaps = nil
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_x265_enc_new(_ element: UnsafeMutablePointer<GstHdrX265Enc>!) -> gpointer! {
    HDRX265Enc(element: element).impl
}

@c @implementation
func hdr_x265_enc_free(_ impl: gpointer!) {
    HDRX265Enc.free(impl)
}

@c @implementation
func hdr_x265_enc_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRX265Enc.with(impl) { $0.setProperty(GstHdrX265EncProp(id), value) }
}

@c @implementation
func hdr_x265_enc_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRX265Enc.with(impl) { $0.getProperty(GstHdrX265EncProp(id), value) }
}

@c @implementation
func hdr_x265_enc_start(_ impl: gpointer!) -> gboolean {
    HDRX265Enc.with(impl) { $0.start() } ? 1 : 0
}

@c @implementation
func hdr_x265_enc_stop(_ impl: gpointer!) {
    HDRX265Enc.with(impl) { $0.stop() }
}

@c @implementation
func hdr_x265_enc_getcaps(_ impl: gpointer!, _ filter: UnsafeMutablePointer<GstCaps>!) -> UnsafeMutablePointer<
    GstCaps
>! {
    HDRX265Enc.with(impl) { $0.getCaps(filter: filter) }
}

@c @implementation
func hdr_x265_enc_set_format(_ impl: gpointer!, _ state: UnsafeMutablePointer<GstVideoCodecState>!) -> gboolean {
    HDRX265Enc.with(impl) { $0.setFormat(state) } ? 1 : 0
}

@c @implementation
func hdr_x265_enc_handle_frame(_ impl: gpointer!, _ frame: UnsafeMutablePointer<GstVideoCodecFrame>!) -> GstFlowReturn {
    HDRX265Enc.with(impl) { $0.handleFrame(frame) }
}

@c @implementation
func hdr_x265_enc_finish(_ impl: gpointer!) -> GstFlowReturn {
    HDRX265Enc.with(impl) { $0.finish() }
}

@c @implementation
func hdr_x265_enc_flush(_ impl: gpointer!) {
    HDRX265Enc.with(impl) { $0.flush() }
}
