import CGStreamer
import CGstHDR
import GstBridge

/// Finds the colorimetry of pads behind `smptealpha`, which leaves colours as they are, but does not name them in its
/// caps. GStreamer Editing Services has it before both pads of the mixer of each transition.
enum PadColor {
    private enum Answer {
        case found(String)
        case none
    }

    /// Caps that also name the colorimetry of the stream before `smptealpha`; `nil` where caps name one, or there is no
    /// such element.
    static func completed(_ caps: Caps.Pointer, _ pad: Neighbours.Pad) -> Caps.Pointer? {
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_has_field(structure, "colorimetry") == 0,
            let color = colorBehindAlpha(pad), let completed = gst_caps_copy(caps),
            let own = gst_caps_get_structure(completed, 0)
        else { return nil }
        Caps.set(own, "colorimetry", to: color)
        return completed
    }

    /// The nearest colorimetry upstream, if all that is between it and the pad are elements that name none, one of them
    /// `smptealpha`.
    private static func colorBehindAlpha(_ pad: Neighbours.Pad) -> String? {
        var passesAlpha = false
        let answer = Neighbours.firstPad(pad) { pad -> Answer? in
            guard let caps = gst_pad_get_current_caps(pad).map({ OwnedCaps(owning: $0) }),
                let structure = gst_caps_get_structure(caps.pointer, 0)
            else { return Answer.none }
            if let color = Caps.string(structure, "colorimetry") { return passesAlpha ? .found(color) : Answer.none }
            if isAlpha(pad) { passesAlpha = true }
            return nil
        }
        guard case .found(let color) = answer else { return nil }
        return color
    }

    private static func isAlpha(_ pad: Neighbours.Pad) -> Bool {
        guard let element = gst_pad_get_parent_element(pad) else { return false }
        defer { gst_object_unref(element) }
        let type = g_type_from_name("GstSMPTEAlpha")
        return type != 0
            && g_type_check_instance_is_a(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }
}

@c @implementation
func hdr_compositor_pad_caps(
    _ pad: UnsafeMutablePointer<GstPad>!, _ caps: UnsafeMutablePointer<GstCaps>!
) -> UnsafeMutablePointer<GstCaps>! {
    PadColor.completed(caps, pad) ?? gst_caps_ref(caps)
}
