import CGStreamer
import CGstHDR
import GstBridge
import HDRMetadata
import HDRPresenter

extension EDRSink {
    /// What the user has set. Every field holds a value of its property's range.
    struct Settings: Equatable, Sendable {
        var presenter = GST_EDR_PRESENTER_AUTO
        var wantsExtendedRange = true
        var pixelFormat = GST_EDR_PIXEL_FORMAT_AUTO
        var colorSpace = GST_EDR_COLOR_SPACE_AUTO
        /// 0: the display's.
        var forcedHeadroom = 0.0
        var toneMapping = GST_EDR_TONE_MAPPING_ROLLOFF
        var forcesAspectRatio = true
        /// In parts of the picture and of the window.
        var views: [View] = []
        var displayLinkIsPaused = true

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

        /// Whether SDR, too, shall go where extended range goes.
        var asksForEncoding: Bool {
            pixelFormat == GST_EDR_PIXEL_FORMAT_RGBA16F || transfer == .extendedLinear || transfer == .pq
        }
    }

    func setProperty(_ property: GstEdrProp, _ value: UnsafePointer<GValue>) {
        func choice() -> UInt32 { UInt32(bitPattern: g_value_get_enum(value)) }
        let before = settings.current
        let views = property == GST_EDR_PROP_VIEWS ? View.parts(of: value) : ([], [])
        let headroom = property == GST_EDR_PROP_FORCE_HEADROOM ? g_value_get_double(value) : 0
        let isHeadroom = headroom == 0 || (1...50).contains(headroom)
        settings.withLock { settings in
            switch property {
            case GST_EDR_PROP_PRESENTER: settings.presenter = GstEdrPresenter(choice())
            case GST_EDR_PROP_WANTS_EDR: settings.wantsExtendedRange = g_value_get_boolean(value) != 0
            case GST_EDR_PROP_PIXEL_FORMAT: settings.pixelFormat = GstEdrPixelFormat(choice())
            case GST_EDR_PROP_COLOR_SPACE: settings.colorSpace = GstEdrColorSpace(choice())
            case GST_EDR_PROP_FORCE_HEADROOM: if isHeadroom { settings.forcedHeadroom = headroom }
            case GST_EDR_PROP_TONE_MAPPING: settings.toneMapping = GstEdrToneMapping(choice())
            case GST_EDR_PROP_FORCE_ASPECT_RATIO: settings.forcesAspectRatio = g_value_get_boolean(value) != 0
            case GST_EDR_PROP_VIEWS: settings.views = views.0
            case GST_EDR_PROP_DISPLAY_LINK_PAUSED: settings.displayLinkIsPaused = g_value_get_boolean(value) != 0
            default: break
            }
        }
        let after = settings.current
        switch property {
        case GST_EDR_PROP_FORCE_HEADROOM:
            advise(
                "force-headroom",
                isHeadroom
                    ? nil
                    : "The property force-headroom was set to \(headroom) and stays \(after.forcedHeadroom): it takes 1 to "
                        + "50, the peak over SDR white, or 0 for the display's own")
        case GST_EDR_PROP_VIEWS: advise("views", views.1.isEmpty ? nil : views.1.joined(separator: "; "))
        default: break
        }
        guard after != before else { return }
        if after.displayLinkIsPaused != before.displayLinkIsPaused { followDisplayLink() }
        // A picture that stands still is shown as the settings want it now.
        if after.views != before.views || after.forcesAspectRatio != before.forcesAspectRatio { redraw() }
        repaint()
        if after.forcedHeadroom != before.forcedHeadroom { displayHasChanged() }
    }

    func getProperty(_ property: GstEdrProp, _ value: UnsafeMutablePointer<GValue>) {
        func set(_ choice: UInt32) { g_value_set_enum(value, Int32(bitPattern: choice)) }
        let settings = settings.current
        switch property {
        case GST_EDR_PROP_PRESENTER: set(settings.presenter.rawValue)
        case GST_EDR_PROP_WANTS_EDR: g_value_set_boolean(value, settings.wantsExtendedRange ? 1 : 0)
        case GST_EDR_PROP_PIXEL_FORMAT: set(settings.pixelFormat.rawValue)
        case GST_EDR_PROP_COLOR_SPACE: set(settings.colorSpace.rawValue)
        case GST_EDR_PROP_FORCE_HEADROOM: g_value_set_double(value, settings.forcedHeadroom)
        case GST_EDR_PROP_TONE_MAPPING: set(settings.toneMapping.rawValue)
        case GST_EDR_PROP_FORCE_ASPECT_RATIO: g_value_set_boolean(value, settings.forcesAspectRatio ? 1 : 0)
        case GST_EDR_PROP_VIEWS: View.write(settings.views, to: value)
        case GST_EDR_PROP_DISPLAY_LINK_PAUSED: g_value_set_boolean(value, settings.displayLinkIsPaused ? 1 : 0)
        case GST_EDR_PROP_HEADROOM: g_value_set_double(value, headroom)
        case GST_EDR_PROP_POTENTIAL_HEADROOM:
            g_value_set_double(value, screen.current.display?.potentialHeadroom ?? 1)
        case GST_EDR_PROP_REFERENCE_WHITE: g_value_set_double(value, screen.current.display?.referenceWhite ?? 203)
        case GST_EDR_PROP_DISPLAY_STATE:
            if let state = displayState() { g_value_take_boxed(value, state) }
        case GST_EDR_PROP_ELIGIBLE: g_value_set_boolean(value, isEligible ? 1 : 0)
        case GST_EDR_PROP_FRAME_RECORD:
            if let record = record.structure() { g_value_take_boxed(value, record) }
        default: break
        }
    }
}

extension View {
    private static let keys = [
        "source-x", "source-y", "source-width", "source-height", "x", "y", "width", "height",
    ]

    /// Views of a GstValueArray of structures, and what is wrong with those and others. What a structure leaves out is the
    /// whole picture or window.
    static func parts(of value: UnsafePointer<GValue>) -> ([View], [String]) {
        var problems: [String] = []
        let views = (0..<gst_value_array_get_size(value)).compactMap { index -> View? in
            func note(_ text: String) {
                if problems.count < 8 { problems.append("Item \(index + 1) of views \(text)") }
            }
            guard let item = gst_value_array_get_value(value, index),
                item.holds(gst_structure_get_type()),
                let structure = gst_value_get_structure(item)
            else {
                note("is no structure and is left out")
                return nil
            }
            for place in 0..<guint(max(0, gst_structure_n_fields(structure))) {
                let name = gst_structure_nth_field_name(structure, place).map { String(cString: $0) } ?? ""
                guard !keys.contains(name) else { continue }
                let near = NearMatches.of(name, in: keys)
                let guess = near.isEmpty ? "a view has \(keys.joined(separator: ", "))" : "\(near[0]) may be meant"
                note("has a field \"\(name.prefix(64))\", which means nothing: \(guess)")
            }
            let whole = [0.0, 0, 1, 1, 0, 0, 1, 1]
            let numbers = zip(keys, whole).map { key, whole in
                var number: gdouble = 0
                var integer: gint = 0
                if gst_structure_get_double(structure, key, &number) != 0, number.isFinite { return number }
                if gst_structure_get_int(structure, key, &integer) != 0 { return Double(integer) }
                if gst_structure_has_field(structure, key) != 0 {
                    note("gives \(key) as no number: \(whole) is taken")
                }
                return whole
            }
            guard numbers[2] > 0, numbers[3] > 0, numbers[6] > 0, numbers[7] > 0 else {
                note("is left out: its widths and heights must be above 0")
                return nil
            }
            return View(
                source: .init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]),
                destination: .init(x: numbers[4], y: numbers[5], width: numbers[6], height: numbers[7]))
        }
        return (views, problems)
    }

    static func write(_ views: [View], to value: UnsafeMutablePointer<GValue>) {
        for view in views {
            let (s, d) = (view.source, view.destination)
            let numbers = [s.x, s.y, s.width, s.height, d.x, d.y, d.width, d.height]
            ValueArray.append(Structure.make("view", zip(keys, numbers).map { ($0, .double($1)) }), to: value)
        }
    }
}
