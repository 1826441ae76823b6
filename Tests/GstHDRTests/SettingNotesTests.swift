import CGStreamer
import CGstCheck
import CGstHDR
import GstBridge
import Testing

/// Values that cannot be taken as they are: what is said of them, and what is taken.
@Suite(.quiet) struct SettingNotesTests {
    @Test(arguments: [
        ("bandpass", "center-frequency", 5.0, 20.0), ("bandpass", "bandwidth", 1e9, 12_000), ("gain", "volume", -1, 0),
        ("gain", "volume", .infinity, 10), ("gain", "gain", 40.5, 40),
    ]) func effectsCutNumbers(effect: String, property: String, set: Double, taken: Double) throws {
        let harness = try TapHarness(effect: effect, audioCaps("F32LE"))
        harness.setEffect(property, set)
        let said = harness.messages()
        #expect(said.count == 1 && said[0].contains("\(property) of the effect \(effect) was set to \(set)"), "\(said)")
        #expect(said.first?.hasSuffix("\(taken) is taken") == true)
        #expect(harness.effect?.number(property) == taken)
        harness.setEffect(property, taken)
        #expect(harness.messages() == [])
    }

    @Test func headroomsAreRefused() throws {
        let sink = try SinkHarness(["force-headroom": "4"])
        for bad in ["0.5", "-1", "50.5", "nan", "inf"] {
            sink.set("force-headroom", bad)
            let said = sink.warnings
            #expect(said.count == 1 && said[0].contains("stays 4.0: it takes 1 to 50"), "\(bad): \(said)")
            #expect(sink.get("force-headroom") == 4)
        }
        for good in ["1", "50", "0"] {
            sink.set("force-headroom", good)
            #expect(sink.get("force-headroom") == Double(good))
        }
        #expect(sink.warnings == [])
    }

    @Test func viewsAreNamed() throws {
        let sink = try SinkHarness()
        sink.set("views", "<(structure)\"view,sourcex=0.5;\",(structure)\"view,width=0.0,x=left;\">")
        let said = sink.warnings.joined()
        for text in ["Item 1", "sourcex", "source-x", "Item 2", "gives x as no number", "above 0"] {
            #expect(said.contains(text), "\(said)")
        }
        sink.set("views", "<(structure)\"view,width=0.5,x=1;\">")
        #expect(sink.warnings == [])
        sink.set("views", "<(structure)\"view,mask=circle,opacity=2.0,feather=-0.5;\">")
        let shape = sink.warnings.joined()
        for text in ["a mask \"circle\"", "ellipse", "opacity=2.0", "1.0 is taken", "feather=-0.5", "0.0 is taken"] {
            #expect(shape.contains(text), "\(shape)")
        }
        sink.set("views", "<(structure)\"view,mask=ellipse,opacity=1,feather=0.25;\">")
        #expect(sink.warnings == [])
    }

    @Test func unknownNamesAreReportedAtOnce() throws {
        let tap = try TapHarness()
        tap.set("effect", "bandpas")
        #expect(tap.messages().first?.contains("Did you mean bandpass?") == true)

        let element = try #require(gst_element_factory_make("hdrmux-settings", nil))
        gst_object_ref_sink(element)
        let bus = try #require(gst_bus_new())
        gst_element_set_bus(element, bus)
        defer {
            gst_element_set_bus(element, nil)
            gst_object_unref(element)
            gst_object_unref(bus)
        }
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        for (property, value, wanted) in [
            ("preset", "prores422", "prores-422"), ("speed-preset", "slwo", "slow"), ("preset", "m4a", nil),
            ("preset", "", nil), ("speed-preset", "fast", nil), ("content-light-level-info", "1000", "MaxFALL"),
            ("content-light-level-info", "1000:400", nil), ("mastering-display-color-volume", "1:2", "35400"),
        ] {
            gst_util_set_object_arg(object, property, value)
            let message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING)
            #expect((message != nil) == (wanted != nil), "\(property)=\(value)")
            guard let message, let wanted else { continue }
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            gst_message_parse_warning(message, &error, nil)
            defer { g_clear_error(&error) }
            #expect(error.map { String(cString: $0.pointee.message) }?.contains(wanted) == true)
        }
    }

    /// The description of `effect`, which gst-inspect-1.0 shows, lists every effect with its properties.
    @Test func theBlurbNamesAllThatEffectsHave() throws {
        let harness = try TapHarness()
        let classes = UnsafeMutableRawPointer(harness.object.pointee.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
        let effect = try #require(g_object_class_find_property(classes, "effect"))
        let blurb = String(cString: g_param_spec_get_blurb(effect))
        for name in TapHostileTests.effects {
            harness.set("effect", name)
            let child = try #require(harness.effect)
            let type = child.pointee.g_type_instance.g_class.pointee.g_type
            var count: guint = 0
            let specs = g_object_class_list_properties(
                UnsafeMutableRawPointer(child.pointee.g_type_instance.g_class).assumingMemoryBound(
                    to: GObjectClass.self),
                &count)
            defer { g_free(specs) }
            let part = try #require(blurb.components(after: "\(name): "))
            for index in 0..<Int(count) {
                guard let spec = specs?[index], spec.pointee.owner_type == type else { continue }
                var text = String(cString: g_param_spec_get_name(spec)) + " ("
                switch spec.pointee.value_type {
                case GTypes.double:
                    let range = UnsafeMutableRawPointer(spec).assumingMemoryBound(to: GParamSpecDouble.self).pointee
                    text += "\(Int(range.minimum)) to \(Int(range.maximum)) "
                case GTypes.uint64:
                    let range = UnsafeMutableRawPointer(spec).assumingMemoryBound(to: GParamSpecUInt64.self).pointee
                    text += "\(range.minimum) to \(range.maximum) "
                default: break
                }
                if name == "gain", text.hasPrefix("volume (") { text.removeLast() }
                #expect(part.contains(text), "\(name) \(text)")
            }
            var signals: guint = 0
            let ids = g_signal_list_ids(type, &signals)
            defer { g_free(ids) }
            for index in 0..<Int(signals) {
                let signal = String(cString: g_signal_name(ids![index]))
                #expect(part.contains("\(signal) ("), "\(name) \(signal)")
            }
        }
    }
}

extension String {
    /// The part of the string behind the first occurrence of a text.
    fileprivate func components(after text: String) -> Substring? {
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(text) { return rest.dropFirst(text.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
