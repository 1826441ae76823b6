import CGStreamer
import GstBridge
import HDRExport
import HDRMetadata

/// Finds the encoder for a plan: the first candidate that is installed, whose pads have the plan's formats, that has
/// the properties which the plan needs, and, in hardware, that starts with them.
struct EncoderChoice {
    private let plan: VideoPlan
    private let candidates: [EncoderOptions]
    /// The other encoders of the codec, which the user has not named.
    private let others: [EncoderOptions]
    private let log: Log

    init(_ plan: VideoPlan, _ settings: HDRMuxSettings.Settings, _ log: Log) throws(ExportError) {
        self.plan = plan
        self.log = log
        let all = EncoderOptions.candidates(
            for: plan, speed: try EncoderSpeed(named: settings.speedPreset),
            withHardware: settings.acceleratesInHardware || !settings.encoder.isEmpty)
        candidates = try EncoderOptions.named(settings.encoder, of: all, codec: plan.codec.title)
        let taken = Set(candidates.map(\.factory))
        others = all.filter { !taken.contains($0.factory) }
    }

    func find() throws(ExportError) -> EncoderOptions {
        var refusals: [EncoderRefusal] = []
        for candidate in candidates {
            guard let refusal = refusal(of: candidate) else {
                log.info("\(candidate.factory) is taken, and asked for \(candidate.launchDescription)")
                return candidate
            }
            log.info("\(refusal.description)")
            refusals.append(refusal)
        }
        let instead = others.last { refusal(of: $0) == nil }
        throw EncoderOptions.refused(refusals, of: candidates, codec: plan.codec.title, instead: instead?.factory)
    }

    private func refusal(of encoder: EncoderOptions) -> EncoderRefusal? {
        guard let factory = gst_element_factory_find(encoder.factory) else { return EncoderRefusal(encoder, .missing) }
        defer { gst_object_unref(gpointer(factory)) }
        // Only hardware encoders need a trial start: software ones fail with errors of their own.
        if !encoder.isHardware { return nil }
        guard let input = gst_caps_from_string(inputCaps(encoder)) else { return EncoderRefusal(encoder, .device) }
        defer { gst_caps_unref(input) }
        guard let output = gst_caps_from_string(encoder.sourceCaps) else { return EncoderRefusal(encoder, .device) }
        defer { gst_caps_unref(output) }
        if gst_element_factory_can_sink_any_caps(factory, input) == 0 {
            let rate = plan.frameRate.map { " at \($0) frames/s" } ?? ""
            return EncoderRefusal(encoder, .input("\(encoder.rawFormat) of \(plan.geometry.frame)\(rate)"))
        }
        if gst_element_factory_can_src_any_caps(factory, output) == 0 {
            return EncoderRefusal(encoder, .output(encoder.sourceCaps))
        }
        guard let element = gst_element_factory_create(factory, nil) else { return EncoderRefusal(encoder, .device) }
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        for property in encoder.properties {
            let outcome = property.set(on: element)
            if outcome.meets(property.demand) { continue }
            return EncoderRefusal(encoder, .property(property.text))
        }
        return Self.starts(element, input, output) ? nil : EncoderRefusal(encoder, .device)
    }

    /// The caps of the encoder's input.
    private func inputCaps(_ encoder: EncoderOptions) -> String {
        let geometry = plan.geometry
        var caps = "video/x-raw, format=(string)\(encoder.rawFormat), width=(int)\(geometry.frame.width)"
        caps += ", height=(int)\(geometry.frame.height), pixel-aspect-ratio=(fraction)\(geometry.pixelAspectRatio)"
        caps += ", framerate=(fraction)\(plan.frameRate ?? Fraction(30, 1)), interlace-mode=(string)progressive"
        if let colorimetry = plan.color.target?.colorimetry { caps += ", colorimetry=(string)\(colorimetry)" }
        return caps
    }

    /// Whether the device opens and the driver accepts the format together with the properties. Pad templates do not
    /// show that; an encoder checks it when it gets its caps.
    private static func starts(
        _ encoder: UnsafeMutablePointer<GstElement>, _ input: UnsafeMutablePointer<GstCaps>,
        _ output: UnsafeMutablePointer<GstCaps>
    ) -> Bool {
        guard let filter = gst_element_factory_make("capsfilter", nil) else { return false }
        gst_object_ref_sink(filter)
        defer {
            for element in [encoder, filter] { gst_element_set_state(element, GST_STATE_NULL) }
            gst_element_unlink(encoder, filter)
            gst_object_unref(filter)
        }
        guard let text = gst_caps_to_string(output) else { return false }
        defer { g_free(text) }
        gst_util_set_object_arg(UnsafeMutableRawPointer(filter).assumingMemoryBound(to: GObject.self), "caps", text)
        guard gst_element_link(encoder, filter) != 0, let pad = gst_element_get_static_pad(encoder, "sink") else {
            return false
        }
        defer { gst_object_unref(pad) }
        for element in [filter, encoder] {
            guard gst_element_set_state(element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE else { return false }
        }
        guard let start = gst_event_new_stream_start("trial"), gst_pad_send_event(pad, start) != 0,
            let caps = gst_event_new_caps(input)
        else { return false }
        return gst_pad_send_event(pad, caps) != 0
    }
}

extension EncoderProperty {
    /// The result of setting a property.
    enum Outcome: Equatable {
        case set
        /// The value was clamped to the property's range.
        case limited
        case leftOut

        func meets(_ demand: Demand) -> Bool {
            switch demand {
            case .preferred: true
            case .clamped: self != .leftOut
            case .exact: self == .set
            }
        }
    }

    /// The value as text for messages.
    var text: String {
        let value = values.first.map { "=\($0.propertyText)" } ?? ""
        return names.joined(separator: " or ") + value
    }

    /// Sets the first of the names that the element has to the first of the values that it accepts.
    func set(on element: UnsafeMutablePointer<GstElement>) -> Outcome {
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        let klass = UnsafeMutableRawPointer(element.pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
        for name in names {
            guard let specification = g_object_class_find_property(klass, name),
                specification.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0
            else { continue }
            for value in values {
                var converted = GValue()
                g_value_init(&converted, specification.pointee.value_type)
                defer { g_value_unset(&converted) }
                guard value.read(into: &converted) else { continue }
                let isLimited = g_param_value_validate(specification, &converted) != 0
                g_object_set_property(object, name, &converted)
                return isLimited ? .limited : .set
            }
        }
        return .leftOut
    }
}

extension SettingValue {
    /// The value as GStreamer parses it from text.
    fileprivate var propertyText: String {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): flag ? "true" : "false"
        case .fraction(let fraction): "\(fraction)"
        case .nested: ""
        }
    }

    /// Writes the value into a GValue of the property's type.
    /// - Returns: whether that type has such a value.
    fileprivate func read(into value: inout GValue) -> Bool {
        if g_type_check_value_holds(&value, GTypes.string) != 0 {
            g_value_set_string(&value, propertyText)
            return true
        }
        return gst_value_deserialize(&value, propertyText) != 0
    }
}
