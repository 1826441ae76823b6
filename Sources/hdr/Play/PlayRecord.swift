/// The result for a file, for `--json`.
struct PlayRecord {
    let name: String
    private(set) var counts = Player.Counts()
    /// The position up to which it was played, in ns.
    private(set) var position: UInt64?
    /// Why it could not be played.
    var failure: String?

    var wasPlayed: Bool { position != nil }

    init(name: String) { self.name = name }

    /// Adds a time that it was played; there are several where a list is repeated.
    mutating func add(_ more: Player.Counts, until position: UInt64) {
        counts.shown += more.shown
        counts.late += more.late
        counts.dropped += more.dropped
        self.position = position
    }

    var json: JSON {
        .object([
            ("file", .string(name)), ("frames-shown", .integer(counts.shown)), ("frames-late", .integer(counts.late)),
            ("frames-dropped", .integer(counts.dropped)),
            ("position-seconds", .optional(position) { .decimal(Double($0) / 1e9) }), ("error", .text(failure)),
        ])
    }
}
