import CGStreamer

/// The values of an enumeration property, in the order of their names, with a terminating zero entry. They are never
/// freed, because GObject keeps the address, and constant once made.
struct EnumValues: @unchecked Sendable {
    let first: UnsafePointer<GEnumValue>

    /// - Parameter entries: the name of each value in launch lines, and its description in `gst-inspect-1.0`.
    init(_ entries: [(name: String, summary: String)]) {
        let values = UnsafeMutablePointer<GEnumValue>.allocate(capacity: entries.count + 1)
        for (index, entry) in entries.enumerated() {
            let value = GEnumValue(
                value: Int32(index), value_name: g_intern_string(entry.summary), value_nick: g_intern_string(entry.name)
            )
            (values + index).initialize(to: value)
        }
        (values + entries.count).initialize(to: GEnumValue(value: 0, value_name: nil, value_nick: nil))
        first = UnsafePointer(values)
    }
}
