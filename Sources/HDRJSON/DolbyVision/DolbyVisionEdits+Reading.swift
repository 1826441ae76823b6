import HDRBitstream

extension DolbyVisionEdits {
    /// The names of primaries, at their indices; dovi_tool accepts both spellings.
    private static let primaries: [[String]] = [
        ["DCI-P3 D65", "DCIP3D65"], ["BT.709", "BT709"], ["BT.2020", "BT2020"], ["SMPTE-C", "SMPTEC"],
        ["BT.601", "BT601"], ["DCI-P3", "DCIP3"], ["ACES"], ["S-Gamut", "SGamut"], ["S-Gamut-3.Cine", "SGamut3Cine"],
    ]

    /// The levels that can be taken from another file.
    private static let knownLevels: [UInt8] = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 254, 255]

    /// Reads the text of a file.
    ///
    /// Throws where it is no JSON, and where something in it is unknown or out of its range.
    package init(_ text: some Collection<UInt8>) throws(JSONError) {
        let json = try JSON(text)
        let fields = JSONFields(json, "")
        let number = try fields.integer("mode", 0...5, or: 0)
        mode = Mode(rawValue: number) ?? .keep
        removesExtendedMetadata = try fields.flag("remove_cmv4", or: false)
        removesMapping = try fields.flag("remove_mapping", or: false)
        sourceMinimumPQ = try fields.optional("min_pq", 0...4095).map { UInt16(truncatingIfNeeded: $0) }
        sourceMaximumPQ = try fields.optional("max_pq", 0...4095).map { UInt16(truncatingIfNeeded: $0) }
        if let area = try fields.object("active_area") { try read(area) }
        var edits: [(String, JSON)] = []
        for name in FrameEdits.names { if let value = fields.value(name) { edits.append((name, value)) } }
        frames = try FrameEdits(edits)
        for (name, value, path) in try fields.members("scene_cuts") {
            try Self.add(try value.bool(path), to: &sceneCuts, name, path)
        }
        if let block = try fields.object("level6") {
            level6 = try DolbyVisionRPU.Block.level6(block)
            try block.finish()
        }
        level9 = try fields.text("level9").map { name throws(JSONError) in try Self.primary(name) }
        if let block = try fields.object("level11") {
            level11 = try DolbyVisionRPU.Block.level11(block)
            try block.finish()
        }
        if let block = try fields.object("level255") {
            level255 = try DolbyVisionRPU.Block.level255(block)
            try block.finish()
        }
        source = try fields.text("source_rpu")
        for (value, path) in try fields.list("rpu_levels") {
            let level = UInt8(truncatingIfNeeded: try value.integer(1...255, path))
            guard Self.knownLevels.contains(level) else {
                throw JSONError(
                    "\(path) in the JSON is \(level), and there is no such level: there are "
                        + Self.knownLevels.map { "\($0)" }.joined(separator: ", "))
            }
            levels.insert(level)
        }
        addsExtendedMetadata = try fields.flag("allow_cmv4_transfer", or: false)
        try fields.finish()
        guard (source == nil) == levels.isEmpty else {
            throw JSONError("source_rpu and rpu_levels in the JSON go together: add the other one")
        }
    }

    private mutating func read(_ area: JSONFields) throws(JSONError) {
        crops = try area.flag("crop", or: false)
        if let text = try area.text("drop_l5") {
            guard let known = Dropped(rawValue: text.lowercased()) else {
                throw JSONError("active_area.drop_l5 in the JSON is \"\(text.prefix(40))\": there are all and zeroes")
            }
            dropped = known
        }
        var presets: [Int: DolbyVisionRPU.Level5] = [:]
        for (value, path) in try area.list("presets") {
            let preset = JSONFields(value, path)
            presets[try preset.integer("id", 0...0xFFFF)] = .init(
                left: try preset.number("left", 13), right: try preset.number("right", 13),
                top: try preset.number("top", 13), bottom: try preset.number("bottom", 13))
            try preset.finish()
        }
        for (name, value, path) in try area.members("edits") {
            let identifier = try value.integer(0...0xFFFF, path)
            guard let preset = presets[identifier] else {
                throw JSONError("\(path) in the JSON is \(identifier), and no preset has that id")
            }
            try Self.add(preset, to: &areas, name, path)
        }
        try area.finish()
    }

    private static func add<Value>(
        _ value: Value, to ranges: inout Ranges<Value>, _ name: String, _ path: String
    ) throws(JSONError) {
        if name.lowercased() == "all" {
            ranges.all = value
        } else {
            ranges.list.append((try FrameEdits.range(name, path), value))
        }
    }

    private static func primary(_ name: String) throws(JSONError) -> UInt8 {
        guard let index = primaries.firstIndex(where: { $0.contains(name) }) else {
            throw JSONError(
                "level9 in the JSON is \"\(name.prefix(40))\": there are "
                    + primaries.map { $0[0] }.joined(separator: ", "))
        }
        return UInt8(truncatingIfNeeded: index)
    }

    /// Throws where an edit is for pictures that do not exist.
    package func check(count: Int) throws(JSONError) {
        for (field, last) in [
            ("active_area.edits", areas.list.map(\.range.upperBound).max()),
            ("scene_cuts", sceneCuts.list.map(\.range.upperBound).max()),
        ] {
            guard let last, last >= count else { continue }
            throw JSONError("\(field) has picture \(last), and there are \(count), from 0 on")
        }
    }
}
