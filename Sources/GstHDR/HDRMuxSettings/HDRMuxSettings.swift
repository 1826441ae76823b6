import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer
import HDRExport
import HDRMetadata

/// The Swift half of the element `hdrmux-settings`: a bin that is put together when the first data of each stream tell what
/// comes.
final class HDRMuxSettings: @unchecked Sendable {
    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrMuxSettings>
    let log: Log
    let settings = Locked(Settings())
    /// What the file's header shall say, as far as it is known.
    let container = Locked(ContainerMetadata.nothing)
    let levels = Locked(ContentLightMeter())
    let isFromMatroska = Locked(false)
    /// The request pads' inner sides.
    let branches = Locked<[Branch]>([])
    let watch = PrerollWatch()
    /// Whether an error with words of its own has been posted since the start.
    let hasExplained = Locked(false)
    /// Held while elements are put in or taken out.
    let building = Locked(Elements())

    init(element: UnsafeMutablePointer<GstHdrMuxSettings>) {
        self.element = element
        log = Log(category: gst_hdr_mux_settings_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self) }
    var gstElement: UnsafeMutablePointer<GstElement> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstElement.self)
    }

    /// Elements that live from READY to PAUSED and back. The bin owns them.
    struct Elements: @unchecked Sendable {
        var all: [UnsafeMutablePointer<GstElement>] = []
        var muxer: UnsafeMutablePointer<GstElement>?
    }

    func error(_ text: String, code: GstLibraryError = GST_LIBRARY_ERROR_SETTINGS) {
        ElementMessage.error(
            UnsafeMutableRawPointer(element), domain: gst_library_error_quark(), code: Int32(code.rawValue), text)
    }

    func warning(_ text: String) {
        ElementMessage.warning(
            UnsafeMutableRawPointer(element), domain: gst_library_error_quark(),
            code: Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue), text)
    }

    /// Posts an element message; takes the structure over.
    func post(_ structure: UnsafeMutablePointer<GstStructure>?) {
        guard let structure,
            let message = gst_message_new_element(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self), structure)
        else { return }
        gst_element_post_message(gstElement, message)
    }

    /// NULL to READY.
    /// - Returns: whether the settings can be used; else an error is posted.
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
    /// What the file's header says of a sound.
    struct Sound {
        var hasTrack = false
        var priming: AudioPriming?
    }

    struct Links: @unchecked Sendable {
        var elements: [UnsafeMutablePointer<GstElement>] = []
    }

    /// One stream on its way through the bin.
    final class Branch: @unchecked Sendable {
        let name: String
        let isVideo: Bool
        /// The outer pad and the first element; the bin owns both.
        let pad: UnsafeMutablePointer<GstPad>
        let head: UnsafeMutablePointer<GstElement>
        let input: InputFilter
        /// The muxer's pad, a reference of which is owned here.
        var muxerPad: UnsafeMutablePointer<GstPad>?
        let sound = Locked(Sound())
        /// What follows the head, in order. The bin owns them.
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

/// Calls a method on the object behind `impl` without touching its reference count.
private func with<Result>(_ impl: gpointer, _ body: (HDRMuxSettings) -> Result) -> Result {
    Unmanaged<HDRMuxSettings>.fromOpaque(impl)._withUnsafeGuaranteedRef(body)
}

// MARK: - The contract header's functions

@c @implementation
func hdr_mux_settings_new(_ element: UnsafeMutablePointer<GstHdrMuxSettings>!) -> gpointer! {
    Unmanaged.passRetained(HDRMuxSettings(element: element)).toOpaque()
}

@c @implementation
func hdr_mux_settings_dispose(_ impl: gpointer!) {
    with(impl) { $0.dispose() }
}

@c @implementation
func hdr_mux_settings_free(_ impl: gpointer!) {
    Unmanaged<HDRMuxSettings>.fromOpaque(impl).release()
}

@c @implementation
func hdr_mux_settings_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    with(impl) { $0.setProperty(GstHdrMuxProp(id), value) }
}

@c @implementation
func hdr_mux_settings_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    with(impl) { $0.getProperty(GstHdrMuxProp(id), value) }
}

@c @implementation
func hdr_mux_settings_request_pad(
    _ impl: gpointer!, _ templ: UnsafeMutablePointer<GstPadTemplate>!, _ name: UnsafePointer<gchar>!
) -> UnsafeMutablePointer<GstPad>! {
    with(impl) { $0.requestPad(templ, name.map { String(cString: $0) }) }
}

@c @implementation
func hdr_mux_settings_release_pad(_ impl: gpointer!, _ pad: UnsafeMutablePointer<GstPad>!) {
    with(impl) { $0.releasePad(pad) }
}

@c @implementation
func hdr_mux_settings_check(_ impl: gpointer!) -> gboolean {
    with(impl) { $0.check() } ? 1 : 0
}

@c @implementation
func hdr_mux_settings_start(_ impl: gpointer!) -> gboolean {
    with(impl) { $0.start() } ? 1 : 0
}

@c @implementation
func hdr_mux_settings_stop(_ impl: gpointer!) {
    with(impl) { $0.stop() }
}

@c @implementation
func hdr_mux_settings_explain(
    _ impl: gpointer!, _ message: UnsafeMutablePointer<GstMessage>!
) -> UnsafeMutablePointer<GstMessage>! {
    with(impl) { $0.explain(message) }
}

@c @implementation
func hdr_mux_settings_create_encoding_profile(_ impl: gpointer!) -> gpointer! {
    with(impl) { $0.createEncodingProfile() }
}

@c @implementation
func hdr_mux_settings_supported_settings(_ impl: gpointer!) -> UnsafeMutablePointer<GstStructure>! {
    with(impl) { $0.supportedSettings() }
}

@c @implementation
func hdr_mux_settings_compatible_presets(_ impl: gpointer!, _ source: UnsafeMutablePointer<GstCaps>!) -> GStrv! {
    with(impl) { $0.compatiblePresets(source) }
}

@c @implementation
func hdr_mux_settings_settings_for(
    _ impl: gpointer!, _ source: UnsafeMutablePointer<GstCaps>!
) -> UnsafeMutablePointer<GstStructure>! {
    with(impl) { $0.settings(for: source) }
}
