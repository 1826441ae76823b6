import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer
import HDRExport
import HDRMetadata

/// The Swift half of the element `hdrmux-settings`: a bin that builds its inside when the first buffer of each stream
/// arrives, because only then are the stream's caps final.
final class HDRMuxSettings: ElementObject, @unchecked Sendable {
    static var errorCode: MessageCode { .library() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrMuxSettings>
    let log: Log
    let settings = Locked(Settings())
    /// The streams, one for each request pad.
    let branches = Locked<[Branch]>([])
    /// The names of the request pads, including those that are being created.
    let padNames = Locked<Set<String>>([])
    let watch = PrerollWatch()
    /// Whether an error that names its cause has been posted since the start.
    let hasExplained = Locked(false)
    /// Whether a warning about lost chapters has been posted since the start.
    let hasToldOfChapters = Locked(false)
    /// Whether a track of the muxer has been given back that has a sample description.
    let hasUnusedTrack = Locked(false)
    /// The settings at the start; `nil` before it and after the end.
    let running = Locked<Settings?>(nil)
    var settingsInUse: Settings { running.current ?? settings.current }
    /// Guards the bin's elements and each branch's `muxerPad`. The streaming thread of an input pad takes it to link
    /// the chain. It is not recursive: nothing that is called while the bin links may take it.
    let building = Locked(Elements())

    init(element: UnsafeMutablePointer<GstHdrMuxSettings>) {
        self.element = element
        log = Log(category: gst_hdr_mux_settings_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    var bin: UnsafeMutablePointer<GstBin> { element.asGstBin }

    /// The elements that exist between READY to PAUSED and PAUSED to READY. The bin owns them.
    struct Elements: @unchecked Sendable {
        var all: [UnsafeMutablePointer<GstElement>] = []
        var muxer: UnsafeMutablePointer<GstElement>?
        /// The number of tracks that were requested from the muxer.
        var tracks = 0
    }

    /// The streams that have a track, in the order of the tracks in the file. That may differ from the order of
    /// `branches` where several threads request pads at once.
    var tracks: [Branch] {
        branches.current.compactMap { branch in branch.track.current.map { (number: $0, branch: branch) } }
            .sorted { $0.number < $1.number }.map(\.branch)
    }

    /// NULL to READY.
    /// - Returns: whether the settings can be used; otherwise an error has been posted.
    func check() -> Bool {
        do {
            let settings = settings.current
            try settings.planner().check()
            _ = try EncoderSpeed(named: settings.speedPreset)
            return true
        } catch {
            self.error("\(error)")
            return false
        }
    }

    func dispose() {
        stop()
        branches.withLock { $0.removeAll() }
    }
}

extension HDRMuxSettings {
    struct Links: @unchecked Sendable {
        var elements: [UnsafeMutablePointer<GstElement>] = []
    }

    /// A stream and its elements in the bin.
    final class Branch: @unchecked Sendable {
        let name: String
        let isVideo: Bool
        /// The outer pad and the first element; the bin owns both.
        let pad: UnsafeMutablePointer<GstPad>
        let head: UnsafeMutablePointer<GstElement>
        let input: InputFilter
        /// The muxer's pad, a reference of which is owned here.
        var muxerPad: UnsafeMutablePointer<GstPad>?
        /// The index of the stream's track in the order in which the muxer created them; `nil` without a track.
        /// `muxerPad` cannot be used for this: it is guarded by `building`, which is held while the bin links elements,
        /// and the streaming thread would deadlock.
        let track = Locked<Int?>(nil)
        /// The plan of the stream; `nil` before the first buffer.
        let plan = Locked<StreamPlan?>(nil)
        /// MaxCLL and MaxFALL measured in the stream's pictures.
        let levels = Locked(ContentLightMeter())
        let packets = Locked(PacketCount())
        /// The time in ns from the first packet's picture to the end of the last picture in MOV and MP4, once the
        /// stream has ended; `nil` where it is not known.
        let shownDuration = Locked<UInt64?>(nil)
        /// The time in ns at the start of copied packets that is decoded and not shown.
        let lead = Locked<UInt64>(0)
        /// The decoder configuration record of compressed video that goes into a transport stream.
        let configuration = Locked<[UInt8]?>(nil)
        /// The elements behind the head, in order. The bin owns them.
        let links = Locked(Links())

        init(
            name: String, isVideo: Bool, pad: UnsafeMutablePointer<GstPad>, head: UnsafeMutablePointer<GstElement>,
            input: InputFilter
        ) {
            self.name = name
            self.isVideo = isVideo
            self.pad = pad
            self.head = head
            self.input = input
        }
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_mux_settings_new(_ element: UnsafeMutablePointer<GstHdrMuxSettings>!) -> gpointer! {
    HDRMuxSettings(element: element).impl
}

@c @implementation
func hdr_mux_settings_dispose(_ impl: gpointer!) {
    HDRMuxSettings.with(impl) { $0.dispose() }
}

@c @implementation
func hdr_mux_settings_free(_ impl: gpointer!) {
    HDRMuxSettings.free(impl)
}

@c @implementation
func hdr_mux_settings_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRMuxSettings.with(impl) { $0.setProperty(GstHdrMuxSettingsProp(id), value) }
}

@c @implementation
func hdr_mux_settings_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRMuxSettings.with(impl) { $0.getProperty(GstHdrMuxSettingsProp(id), value) }
}

@c @implementation
func hdr_mux_settings_request_pad(
    _ impl: gpointer!, _ templ: UnsafeMutablePointer<GstPadTemplate>!, _ name: UnsafePointer<gchar>!
) -> UnsafeMutablePointer<GstPad>! {
    HDRMuxSettings.with(impl) { $0.requestPad(templ, name.map { String(cString: $0) }) }
}

@c @implementation
func hdr_mux_settings_release_pad(_ impl: gpointer!, _ pad: UnsafeMutablePointer<GstPad>!) {
    HDRMuxSettings.with(impl) { $0.releasePad(pad) }
}

@c @implementation
func hdr_mux_settings_check(_ impl: gpointer!) -> gboolean {
    HDRMuxSettings.with(impl) { $0.check() } ? 1 : 0
}

@c @implementation
func hdr_mux_settings_start(_ impl: gpointer!) -> gboolean {
    HDRMuxSettings.with(impl) { $0.start() } ? 1 : 0
}

@c @implementation
func hdr_mux_settings_stop(_ impl: gpointer!) {
    HDRMuxSettings.with(impl) { $0.stop() }
}

@c @implementation
func hdr_mux_settings_explain(
    _ impl: gpointer!, _ message: UnsafeMutablePointer<GstMessage>!
) -> UnsafeMutablePointer<GstMessage>! {
    HDRMuxSettings.with(impl) { $0.explain(message) }
}

@c @implementation
func hdr_mux_settings_create_encoding_profile(_ impl: gpointer!) -> gpointer! {
    HDRMuxSettings.with(impl) { $0.createEncodingProfile() }
}

@c @implementation
func hdr_mux_settings_supported_settings(_ impl: gpointer!) -> UnsafeMutablePointer<GstStructure>! {
    HDRMuxSettings.with(impl) { $0.supportedSettings() }
}

@c @implementation
func hdr_mux_settings_compatible_presets(_ impl: gpointer!, _ source: UnsafeMutablePointer<GstCaps>!) -> GStrv! {
    HDRMuxSettings.with(impl) { $0.compatiblePresets(source) }
}

@c @implementation
func hdr_mux_settings_settings_for(
    _ impl: gpointer!, _ source: UnsafeMutablePointer<GstCaps>!
) -> UnsafeMutablePointer<GstStructure>! {
    HDRMuxSettings.with(impl) { $0.settings(for: source) }
}
