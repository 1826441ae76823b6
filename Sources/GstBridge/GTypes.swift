import CGStreamer

/// The numbers of GObject's fundamental types: `G_TYPE_INT` and the others are macros that Swift does not see.
package enum GTypes {
    package static let boolean = fundamental(5)
    package static let int = fundamental(6)
    package static let uint = fundamental(7)
    package static let int64 = fundamental(10)
    package static let uint64 = fundamental(11)
    package static let float = fundamental(14)
    package static let double = fundamental(15)
    package static let string = fundamental(16)
    package static let pointer = fundamental(17)
    package static let none = fundamental(1)

    /// The value of the macro `G_TYPE_MAKE_FUNDAMENTAL`.
    private static func fundamental(_ number: GType) -> GType { number << 2 }
}

extension UnsafePointer<GValue> {
    package func holds(_ type: GType) -> Bool { g_type_check_value_holds(self, type) != 0 }
}
