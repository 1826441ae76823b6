import CGStreamer
import CGstHDR
import CGstCheck
import GstBridge
import Testing

/// An element between two loose pads, playing, with a bus of its own.
class ElementHarness: @unchecked Sendable {
    let harness: UnsafeMutablePointer<GstHarness>
    private let bus: UnsafeMutablePointer<GstBus>

    init(element: String) throws {
        GStreamer.started
        harness = try #require(gst_harness_new(element))
        bus = try #require(gst_bus_new())
        gst_element_set_bus(harness.pointee.element, bus)
    }

    deinit {
        gst_element_set_bus(harness.pointee.element, nil)
        gst_harness_teardown(harness)
        gst_object_unref(bus)
    }

    var element: UnsafeMutablePointer<GstElement> { harness.pointee.element }
    var object: UnsafeMutablePointer<GObject> { UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self) }

    func set(_ name: String, _ value: String) { gst_util_set_object_arg(object, name, value) }

    @discardableResult
    func send(_ event: UnsafeMutablePointer<GstEvent>?) -> Bool { gst_harness_push_event(harness, event) != 0 }

    struct Message {
        let type: GstMessageType
        let text: String
    }

    /// The errors and warnings that have been posted since the last call.
    func posted() -> [Message] {
        var result: [Message] = []
        while let message = gst_bus_pop(bus) {
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            switch message.pointee.type {
            case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, nil)
            case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, nil)
            default: continue
            }
            result.append(
                Message(type: message.pointee.type, text: error.map { String(cString: $0.pointee.message) } ?? ""))
            g_clear_error(&error)
        }
        return result
    }

    /// The numbers in element messages of a name since the last call; other messages are dropped.
    func structures(_ name: String) -> [[String: Double]] { bus.structures(name) }
}

extension UnsafeMutablePointer<GstBus> {
    /// The numbers in element messages of a name; all messages are taken.
    func structures(_ name: String) -> [[String: Double]] {
        var result: [[String: Double]] = []
        while let message = gst_bus_pop(self) {
            defer { gst_message_unref(message) }
            guard let structure = gst_message_get_structure(message), gst_structure_has_name(structure, name) != 0
            else { continue }
            var numbers: [String: Double] = [:]
            for index in 0..<gst_structure_n_fields(structure) {
                guard let field = gst_structure_nth_field_name(structure, guint(index)) else { continue }
                var (number, whole, flag): (Double, guint64, gboolean) = (0, 0, 0)
                if gst_structure_get_double(structure, field, &number) != 0 {
                    numbers[String(cString: field)] = number
                } else if gst_structure_get_uint64(structure, field, &whole) != 0 {
                    numbers[String(cString: field)] = Double(whole)
                } else if gst_structure_get_boolean(structure, field, &flag) != 0 {
                    numbers[String(cString: field)] = Double(flag)
                }
            }
            result.append(numbers)
        }
        return result
    }
}

extension UnsafeMutablePointer<GObject> {
    /// A property of type double.
    func number(_ property: String) -> Double {
        var value = GValue()
        g_value_init(&value, GTypes.double)
        defer { g_value_unset(&value) }
        g_object_get_property(self, property, &value)
        return g_value_get_double(&value)
    }
}
