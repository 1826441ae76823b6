import CGStreamer
import GstBridge
import HDRMetadata
import HDRPresenter

/// The property `views`.
extension View {
    private static let keys = [
        "source-x", "source-y", "source-width", "source-height", "x", "y", "width", "height",
    ]

    /// The views of a GstValueArray of structures, and what is wrong with the array's items. Fields that a structure
    /// lacks stand for the whole picture or window.
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
