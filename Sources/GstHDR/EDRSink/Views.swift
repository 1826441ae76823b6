import CGStreamer
import GstBridge
import HDRMetadata
import HDRPresenter

/// Conversion from and to the property `views`.
extension View {
    private static let rectangles = [
        "source-x", "source-y", "source-width", "source-height", "x", "y", "width", "height",
    ]
    private static let shares = ["opacity", "feather"]
    private static let keys = rectangles + ["mask"] + shares

    /// The views in a GstValueArray of structures, and the defects of its items. Fields that a structure lacks default
    /// to the whole picture or window, without a mask.
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
            noteUnknownFields(of: structure, note)
            let numbers = zip(rectangles, [0.0, 0, 1, 1, 0, 0, 1, 1]).map {
                number($0, in: structure, otherwise: $1, note)
            }
            guard numbers[2] > 0, numbers[3] > 0, numbers[6] > 0, numbers[7] > 0 else {
                note("is left out: its widths and heights must be above 0")
                return nil
            }
            return View(
                source: .init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]),
                destination: .init(x: numbers[4], y: numbers[5], width: numbers[6], height: numbers[7]),
                mask: mask(in: structure, note),
                opacity: share("opacity", in: structure, otherwise: 1, note),
                feather: share("feather", in: structure, otherwise: 0, note))
        }
        return (views, problems)
    }

    private static func noteUnknownFields(of structure: UnsafePointer<GstStructure>, _ note: (String) -> Void) {
        for place in 0..<guint(max(0, gst_structure_n_fields(structure))) {
            let name = gst_structure_nth_field_name(structure, place).map { String(cString: $0) } ?? ""
            guard !keys.contains(name) else { continue }
            let near = NearMatches.of(name, in: keys)
            let guess = near.isEmpty ? "a view has \(keys.joined(separator: ", "))" : "\(near[0]) may be meant"
            note("has a field \"\(name.prefix(64))\", which means nothing: \(guess)")
        }
    }

    private static func number(
        _ key: String, in structure: UnsafePointer<GstStructure>, otherwise usual: Double, _ note: (String) -> Void
    ) -> Double {
        var number: gdouble = 0
        var integer: gint = 0
        if gst_structure_get_double(structure, key, &number) != 0, number.isFinite { return number }
        if gst_structure_get_int(structure, key, &integer) != 0 { return Double(integer) }
        if gst_structure_has_field(structure, key) != 0 { note("gives \(key) as no number: \(usual) is taken") }
        return usual
    }

    /// A field that holds a number from 0 to 1.
    private static func share(
        _ key: String, in structure: UnsafePointer<GstStructure>, otherwise usual: Double, _ note: (String) -> Void
    ) -> Double {
        let wanted = number(key, in: structure, otherwise: usual, note)
        let share = min(max(wanted, 0), 1)
        if share != wanted { note("has \(key)=\(wanted), which is not between 0 and 1: \(share) is taken") }
        return share
    }

    private static func mask(in structure: UnsafePointer<GstStructure>, _ note: (String) -> Void) -> Mask {
        guard gst_structure_has_field(structure, "mask") != 0 else { return .none }
        let name = gst_structure_get_string(structure, "mask").map { String(cString: $0) }
        switch name {
        case "none": return .none
        case "ellipse": return .ellipse
        default:
            note("has a mask \"\(name?.prefix(64) ?? "")\": there are none, which is taken, and ellipse")
            return .none
        }
    }

    static func write(_ views: [View], to value: UnsafeMutablePointer<GValue>) {
        for view in views {
            let (s, d) = (view.source, view.destination)
            let numbers = [s.x, s.y, s.width, s.height, d.x, d.y, d.width, d.height]
            let fields = zip(rectangles, numbers).map { ($0, Structure.Value.double($1)) }
            let soft: [(String, Structure.Value)] = [
                ("mask", .string(view.mask == .ellipse ? "ellipse" : "none")), ("opacity", .double(view.opacity)),
                ("feather", .double(view.feather)),
            ]
            ValueArray.append(Structure.make("view", fields + soft), to: value)
        }
    }
}
