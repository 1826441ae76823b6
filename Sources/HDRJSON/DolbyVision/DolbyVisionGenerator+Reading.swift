import HDRBitstream

extension DolbyVisionGenerator {
    private static let versions: [String: DolbyVisionRPU.ContentMapping] = ["V29": .version29, "V40": .version40]

    /// Reads the text of a file.
    ///
    /// Throws where it is no JSON, where something in it is unknown or out of its range, and where the lengths of the
    /// shots do not add up to that of the whole.
    package init(_ text: some Collection<UInt8>) throws(JSONError) {
        let fields = JSONFields(try JSON(text), "")
        version = try Self.version(fields, "cm_version") ?? .version40
        level1Version = try Self.version(fields, "l1_avg_pq_cm_version") ?? version
        if let name = try fields.text("profile") {
            let known = name.hasPrefix("Profile8") ? "8." + name.dropFirst(8) : name.replacing("Profile", with: "")
            guard let profile = DolbyVisionRPU.AuthoredProfile(rawValue: known) else {
                throw JSONError("profile in the JSON is \"\(name.prefix(40))\": there are 5, 8.1 and 8.4")
            }
            self.profile = profile
        }
        flagsAllPictures = try fields.flag("long_play_mode", or: false)
        length = try fields.integer("length", 0...Self.limit, or: 0)
        sourceMinimumPQ = try fields.optional("source_min_pq", 0...4095).map { UInt16(truncatingIfNeeded: $0) }
        sourceMaximumPQ = try fields.optional("source_max_pq", 0...4095).map { UInt16(truncatingIfNeeded: $0) }
        if let block = try fields.object("level5") {
            level5 = try DolbyVisionRPU.Block.level5(block)
            try block.finish()
        }
        if let block = try fields.object("level6") {
            level6 = try DolbyVisionRPU.Block.level6(block)
            try block.finish()
        }
        blocks = try Self.blocks(fields, "default_metadata_blocks")
        var read: [(start: Int, shot: Shot)] = []
        for (value, path) in try fields.list("shots") { read.append(try Self.shot(JSONFields(value, path))) }
        // The sort is stable: shots without starts stay in their order.
        shots = read.sorted { $0.start < $1.start }.map(\.shot)
        try fields.finish()
        if profile == .profile81, level6 == nil {
            throw JSONError("there is no level6 in the JSON, which profile 8.1 needs")
        }
        let total = shots.reduce(0) { $0 &+ $1.duration }
        guard (0...Self.limit).contains(total) else { throw JSONError("shots in the JSON have too many pictures") }
        if length > 0, !shots.isEmpty, total > 0, total != length {
            throw JSONError("length in the JSON is \(length), and the shots have \(total) pictures")
        }
    }

    private static func version(
        _ fields: JSONFields, _ field: String
    ) throws(JSONError) -> DolbyVisionRPU.ContentMapping? {
        guard let name = try fields.text(field) else { return nil }
        guard let version = versions[name] else {
            throw JSONError("\(field) in the JSON is \"\(name.prefix(40))\": there are V29 and V40")
        }
        return version
    }

    private static func blocks(_ fields: JSONFields, _ field: String) throws(JSONError) -> [DolbyVisionRPU.Block] {
        var blocks: [DolbyVisionRPU.Block] = []
        for (value, path) in try fields.list(field) { blocks.append(try DolbyVisionRPU.Block(value, path)) }
        return blocks
    }

    private static func shot(_ fields: JSONFields) throws(JSONError) -> (start: Int, shot: Shot) {
        // The field is known, but not used.
        _ = fields.value("id")
        let start = try fields.integer("start", 0...limit)
        var shot = Shot(duration: try fields.integer("duration", 0...limit))
        shot.blocks = try blocks(fields, "metadata_blocks")
        for (value, path) in try fields.list("frame_edits") {
            let edit = JSONFields(value, path)
            shot.edits.append(
                (try edit.integer("edit_offset", 0...limit), try blocks(edit, "metadata_blocks")))
            try edit.finish()
        }
        try fields.finish()
        return (start, shot)
    }
}
