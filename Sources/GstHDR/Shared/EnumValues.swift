import CGStreamer

/// The values of an enumeration property: in the order of their names, ended by one of zeros. They are never freed,
/// because GObject keeps the address, and constant after they have been made.
struct EnumValues: @unchecked Sendable {
    let first: UnsafePointer<GEnumValue>

    /// - Parameter entries: a value's name as it is typed, and what it does, as `gst-inspect-1.0` shows it.
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
