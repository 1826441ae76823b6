import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRPresenter

extension EDRSink {
    /// The values of the properties. Every field holds a value of its property's range.
    struct Settings: Equatable, Sendable {
        var presenter = GST_EDR_SINK_DEFAULT_PRESENTER
        var wantsExtendedRange = GST_EDR_SINK_DEFAULT_WANTS_EDR != 0
        var pixelFormat = GST_EDR_SINK_DEFAULT_PIXEL_FORMAT
        var colorSpace = GST_EDR_SINK_DEFAULT_COLOR_SPACE
        /// The peak relative to SDR white; 0 for the display's own.
        var forcedHeadroom = GST_EDR_SINK_DEFAULT_FORCE_HEADROOM
        var toneMapping = ToneCurve.rolloff
        var peakDetection = GST_EDR_SINK_DEFAULT_PEAK_DETECTION
        /// Whether pictures' dynamic metadata are applied.
        var usesMetadata = GST_EDR_SINK_DEFAULT_DYNAMIC_METADATA == GST_HDR_METADATA_USE_AUTO
        var forcesAspectRatio = GST_EDR_SINK_DEFAULT_FORCE_ASPECT_RATIO != 0
        /// View rectangles, as fractions of the picture and of the window.
        var views: [View] = []
        var displayLinkIsPaused = GST_EDR_SINK_DEFAULT_DISPLAY_LINK_PAUSED != 0

        var format: PictureFormat? {
            switch pixelFormat {
            case GST_EDR_PIXEL_FORMAT_RGBA16F: .rgba16f
            case GST_EDR_PIXEL_FORMAT_RGB10A2: .rgb10a2
            case GST_EDR_PIXEL_FORMAT_RGBA8: .rgba8
            default: nil
            }
        }

        var transfer: PictureEncoding.Transfer? {
            switch colorSpace {
            case GST_EDR_COLOR_SPACE_EXTENDED_LINEAR: .extendedLinear
            case GST_EDR_COLOR_SPACE_BT2100_PQ: .pq
            case GST_EDR_COLOR_SPACE_SRGB: .sRGB
            default: nil
            }
        }

        /// Whether the source's peak is measured in the pictures.
        var detectsPeaks: Bool { peakDetection == GST_HDR_PEAK_DETECTION_AUTO }

        /// Whether SDR, too, is encoded as for extended range.
        var asksForEncoding: Bool {
            pixelFormat == GST_EDR_PIXEL_FORMAT_RGBA16F || transfer == .extendedLinear || transfer == .pq
        }
    }

    func setProperty(_ property: GstEdrSinkProp, _ value: UnsafePointer<GValue>) {
        func choice() -> UInt32 { UInt32(bitPattern: g_value_get_enum(value)) }
        let before = settings.current
        let views = property == GST_EDR_SINK_PROP_VIEWS ? View.parts(of: value) : ([], [])
        let headroom = property == GST_EDR_SINK_PROP_FORCE_HEADROOM ? g_value_get_double(value) : 0
        let isHeadroom = headroom == 0 || (1...50).contains(headroom)
        settings.withLock { settings in
            switch property {
            case GST_EDR_SINK_PROP_PRESENTER: settings.presenter = GstEdrPresenter(choice())
            case GST_EDR_SINK_PROP_WANTS_EDR: settings.wantsExtendedRange = g_value_get_boolean(value) != 0
            case GST_EDR_SINK_PROP_PIXEL_FORMAT: settings.pixelFormat = GstEdrPixelFormat(choice())
            case GST_EDR_SINK_PROP_COLOR_SPACE: settings.colorSpace = GstEdrColorSpace(choice())
            case GST_EDR_SINK_PROP_FORCE_HEADROOM: if isHeadroom { settings.forcedHeadroom = headroom }
            case GST_EDR_SINK_PROP_TONE_MAPPING: settings.toneMapping = .ofDisplay(choice())
            case GST_EDR_SINK_PROP_PEAK_DETECTION: settings.peakDetection = GstHdrPeakDetection(choice())
            case GST_EDR_SINK_PROP_DYNAMIC_METADATA:
                settings.usesMetadata = choice() == GST_HDR_METADATA_USE_AUTO.rawValue
            case GST_EDR_SINK_PROP_FORCE_ASPECT_RATIO: settings.forcesAspectRatio = g_value_get_boolean(value) != 0
            case GST_EDR_SINK_PROP_VIEWS: settings.views = views.0
            case GST_EDR_SINK_PROP_DISPLAY_LINK_PAUSED: settings.displayLinkIsPaused = g_value_get_boolean(value) != 0
            default: break
            }
        }
        let after = settings.current
        switch property {
        case GST_EDR_SINK_PROP_FORCE_HEADROOM:
            advise(
                "force-headroom",
                isHeadroom
                    ? nil
                    : "The property force-headroom was set to \(headroom) and stays \(after.forcedHeadroom): it takes "
                        + "1 to 50, the peak over SDR white, or 0 for the display's own")
        case GST_EDR_SINK_PROP_VIEWS: advise("views", views.1.isEmpty ? nil : views.1.joined(separator: "; "))
        default: break
        }
        guard after != before else { return }
        if after.displayLinkIsPaused != before.displayLinkIsPaused { followDisplayLink() }
        // A still picture is shown again with the new settings.
        if after.views != before.views || after.forcesAspectRatio != before.forcesAspectRatio { redraw() }
        repaint()
        if after.forcedHeadroom != before.forcedHeadroom { displayHasChanged() }
    }

    func getProperty(_ property: GstEdrSinkProp, _ value: UnsafeMutablePointer<GValue>) {
        func set(_ choice: UInt32) { g_value_set_enum(value, Int32(bitPattern: choice)) }
        let settings = settings.current
        switch property {
        case GST_EDR_SINK_PROP_PRESENTER: set(settings.presenter.rawValue)
        case GST_EDR_SINK_PROP_WANTS_EDR: g_value_set_boolean(value, settings.wantsExtendedRange ? 1 : 0)
        case GST_EDR_SINK_PROP_PIXEL_FORMAT: set(settings.pixelFormat.rawValue)
        case GST_EDR_SINK_PROP_COLOR_SPACE: set(settings.colorSpace.rawValue)
        case GST_EDR_SINK_PROP_FORCE_HEADROOM: g_value_set_double(value, settings.forcedHeadroom)
        case GST_EDR_SINK_PROP_TONE_MAPPING: set(ToneCurve.displayValue(of: settings.toneMapping))
        case GST_EDR_SINK_PROP_PEAK_DETECTION: set(settings.peakDetection.rawValue)
        case GST_EDR_SINK_PROP_DYNAMIC_METADATA:
            set((settings.usesMetadata ? GST_HDR_METADATA_USE_AUTO : GST_HDR_METADATA_USE_IGNORE).rawValue)
        case GST_EDR_SINK_PROP_FORCE_ASPECT_RATIO: g_value_set_boolean(value, settings.forcesAspectRatio ? 1 : 0)
        case GST_EDR_SINK_PROP_VIEWS: View.write(settings.views, to: value)
        case GST_EDR_SINK_PROP_DISPLAY_LINK_PAUSED: g_value_set_boolean(value, settings.displayLinkIsPaused ? 1 : 0)
        case GST_EDR_SINK_PROP_HEADROOM: g_value_set_double(value, headroom)
        case GST_EDR_SINK_PROP_POTENTIAL_HEADROOM:
            g_value_set_double(value, screen.current.display?.potentialHeadroom ?? 1)
        case GST_EDR_SINK_PROP_REFERENCE_WHITE:
            g_value_set_double(value, screen.current.display?.referenceWhite ?? BT2408.referenceWhite)
        case GST_EDR_SINK_PROP_DISPLAY_STATE:
            if let state = displayState() { g_value_take_boxed(value, state) }
        case GST_EDR_SINK_PROP_ELIGIBLE: g_value_set_boolean(value, isEligible ? 1 : 0)
        case GST_EDR_SINK_PROP_FRAME_RECORD:
            if let record = record.structure() { g_value_take_boxed(value, record) }
        default: break
        }
    }
}
