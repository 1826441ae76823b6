import CGStreamer
import CGstHDR
import GstBridge
import HDRExport
import HDRKernels

extension HDRVideoSink {
    /// A video sink to try.
    struct Candidate {
        var factory: String
        /// The value for edrsink's property `presenter`; `nil` for other sinks.
        var presenter: String?

        /// Whether HDR has to be converted to SDR for it.
        var converts: Bool { factory != "edrsink" }

        static func named(_ factory: String) -> Candidate {
            Candidate(factory: factory, presenter: factory == "edrsink" ? "auto" : nil)
        }
    }

    /// The sinks to try, the best one first.
    /// - Parameter refusals: receives why edrsink is not the first, where it is not.
    func candidates(_ refusals: inout [String]) -> [Candidate] {
        let chosen = settings.current.sink
        guard chosen.isEmpty else { return [.named(chosen)] }
        var result: [Candidate] = []
        if let refusal = Self.refusalOfExtendedRange() {
            refusals.append("edrsink: " + refusal)
        } else {
            result.append(Candidate(factory: "edrsink", presenter: "wayland"))
        }
        result += SinkFactories.ranked.map(Candidate.named)
        // edrsink shows HDR well on SDR displays too, but scales on the processor.
        if !result.contains(where: { $0.presenter == "auto" }) { result.append(.named("edrsink")) }
        return result
    }

    /// Why this machine's display shows nothing above SDR white; `nil` where it does. A temporary `edrsink` queries the
    /// display without opening a window, so that neither the application nor its window is involved. X11 has no
    /// extended range.
    private static func refusalOfExtendedRange() -> String? {
        guard let made = gst_element_factory_make("edrsink", nil), let bus = gst_bus_new() else {
            return "it cannot be made."
        }
        let sink = OwnedElement(made)
        defer {
            sink.use { pointer in
                gst_element_set_state(pointer, GST_STATE_NULL)
                gst_element_set_bus(pointer, nil)
            }
            gst_object_unref(bus)
        }
        gst_util_set_object_arg(made.asGObject, "presenter", "wayland")
        gst_element_set_bus(made, bus)
        guard gst_element_set_state(made, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE else {
            guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return "it does not start." }
            defer {
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
            }
            let text = Self.text(message) ?? "it does not start"
            return OpeningFailure.reason(of: "wayland", in: text) ?? sentence(text)
        }
        var value = GValue()
        g_value_init(&value, GTypes.boolean)
        defer { g_value_unset(&value) }
        g_object_get_property(made.asGObject, "eligible-for-hdr-playback", &value)
        guard g_value_get_boolean(&value) == 0 else { return nil }
        return "the display has no extended range."
    }

    static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }

    // MARK: SDR for a sink

    /// The SDR formats from which the caps for a sink are made.
    struct SDRFormats {
        /// R'G'B' and Y'CbCr formats that both the sink and `hdrconvert` support.
        var rgb: [String] = []
        var yCbCr: [String] = []

        /// - Parameter sink: a sink in READY, in which sinks know what their display accepts.
        init(_ sink: OwnedElement) {
            guard let pad = sink.use({ gst_element_get_static_pad($0, "sink") }) else { return }
            defer { gst_object_unref(pad) }
            guard let caps = gst_pad_query_caps(pad, nil) else { return }
            defer { gst_caps_unref(caps) }
            for index in 0..<gst_caps_get_size(caps) {
                guard let structure = gst_caps_get_structure(caps, index), Self.isInSystemMemory(caps, index) else {
                    continue
                }
                for name in Caps.strings(structure, "format") ?? [] {
                    guard let layout = PixelLayout.byName[name], !layout.isGray, !(rgb + yCbCr).contains(name) else {
                        continue
                    }
                    if layout.isRGB { rgb.append(name) } else { yCbCr.append(name) }
                }
            }
        }

        private static func isInSystemMemory(_ caps: Caps.Pointer, _ index: UInt32) -> Bool {
            guard let features = gst_caps_get_features(caps, index) else { return true }
            return gst_caps_features_contains(features, "memory:SystemMemory") != 0
        }

        /// Whether a `videoconvert` is needed before the sink, because `hdrconvert` writes none of its formats.
        var isEmpty: Bool { rgb.isEmpty && yCbCr.isEmpty }

        /// Caps in which every sink shows SDR of a transfer function correctly.
        /// - Parameter transfer: `nil` for R'G'B' as sRGB and Y'CbCr as BT.709.
        func caps(_ transfer: GstVideoTransferFunction? = nil) -> String {
            func part(_ formats: [String], isRGB: Bool) -> String? {
                let color = GstVideoColorimetry(
                    range: isRGB ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235,
                    matrix: isRGB ? GST_VIDEO_COLOR_MATRIX_RGB : GST_VIDEO_COLOR_MATRIX_BT709,
                    transfer: transfer ?? (isRGB ? GST_VIDEO_TRANSFER_SRGB : GST_VIDEO_TRANSFER_BT709),
                    primaries: GST_VIDEO_COLOR_PRIMARIES_BT709)
                guard !formats.isEmpty, let text = color.text else { return nil }
                return "video/x-raw,format={\(formats.joined(separator: ","))},colorimetry=\(text)"
            }
            let rgb = isEmpty ? ["BGRx"] : rgb
            return [part(rgb, isRGB: true), part(yCbCr, isRGB: false)].compactMap { $0 }.joined(separator: ";")
        }
    }

    // MARK: What is reported

    /// A new structure for the property `display-state`, which the caller owns.
    func displayState(_ inside: Inside) -> Structure.Pointer? {
        Structure.make(
            "display-state",
            [
                ("sink", .string(inside.sink.factoryName)), ("converts-hdr-to-sdr", .bool(inside.converts)),
                ("why-nothing-better", .strings(inside.refusals)),
            ])
    }

    /// Posts the error that nothing can be shown.
    func fail(_ refusals: [String]) {
        let packages = (
            wayland: DebianPackage.of(element: "waylandsink"), x11: DebianPackage.of(element: "xvimagesink")
        )
        let advice =
            settings.current.sink.isEmpty
            ? " Start the program where WAYLAND_DISPLAY or DISPLAY leads to a display, and install its sink: "
                + "\(packages.wayland) for Wayland, \(packages.x11) for X11."
            : " Leave the property sink empty for one that works here."
        error("No video sink works here. " + refusals.joined(separator: " ") + advice)
    }
}
