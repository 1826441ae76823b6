import HDRBitstream

/// The common properties of a video's RPUs, and the ranges of those that vary.
package struct DolbyVisionSummary: Equatable, Sendable {
    package private(set) var count = 0
    /// The profiles with the kind of the enhancement layer, such as "8" and "7 FEL", each once.
    package private(set) var profiles: [String] = []
    /// The number of RPUs with metadata of content mapping 4.0.
    package private(set) var extendedCount = 0
    /// The number of RPUs whose scene_refresh_flag is set.
    package private(set) var sceneCount = 0
    /// The number of RPUs whose reshaping curves change the picture.
    package private(set) var reshapedCount = 0
    /// The number of RPUs that have a level, by the level's number.
    package private(set) var levels: [UInt8: Int] = [:]
    /// The mastering displays, as black and peak in PQ codes, 0...4095.
    package private(set) var sources: [SIMD2<UInt16>] = []
    /// The largest values of level 1, in PQ codes, 0...4095.
    package private(set) var largest: DolbyVisionRPU.Level1?
    package private(set) var areas: [DolbyVisionRPU.Level5] = []
    package private(set) var staticMetadata: [DolbyVisionRPU.Level6] = []
    /// The peaks of displays that level 2 has trims for, in PQ codes, 0...4095.
    package private(set) var trimTargets: [UInt16] = []
    /// The displays that level 8 has trims for, by their index.
    package private(set) var trimDisplays: [UInt8] = []
    package private(set) var primaries: [DolbyVisionRPU.Level9] = []
    package private(set) var contents: [DolbyVisionRPU.Level11] = []

    package init() {}

    package mutating func add(_ rpu: DolbyVisionRPU) {
        count += 1
        Self.note(Self.profile(rpu), in: &profiles)
        if let mapping = rpu.mapping, let sequence = rpu.header.sequence,
            mapping.curves != DolbyVisionRPU.Mapping.identity(sequence).curves
        {
            reshapedCount += 1
        }
        guard let management = rpu.displayManagement else { return }
        if management.extendedBlocks != nil { extendedCount += 1 }
        if management.sceneRefreshFlag == 1 { sceneCount += 1 }
        for level in Set((management.blocks + (management.extendedBlocks ?? [])).map(\.level)) {
            levels[level, default: 0] += 1
        }
        if let signal = management.signal {
            Self.note(SIMD2(signal.sourceMinimumPQ, signal.sourceMaximumPQ), in: &sources)
        }
        if let light = management.level1 {
            var sum = largest ?? light
            sum.minimumPQ = max(sum.minimumPQ, light.minimumPQ)
            sum.maximumPQ = max(sum.maximumPQ, light.maximumPQ)
            sum.averagePQ = max(sum.averagePQ, light.averagePQ)
            largest = sum
        }
        if let area = management.level5 { Self.note(area, in: &areas) }
        if let light = management.level6 { Self.note(light, in: &staticMetadata) }
        for trim in management.level2 { Self.note(trim.targetMaximumPQ, in: &trimTargets) }
        for trim in management.level8 { Self.note(trim.targetDisplayIndex, in: &trimDisplays) }
        if let value = management.level9 { Self.note(value, in: &primaries) }
        if let value = management.level11 { Self.note(value, in: &contents) }
    }

    private static func profile(_ rpu: DolbyVisionRPU) -> String {
        guard let profile = rpu.signaledProfile else { return "unknown" }
        switch rpu.enhancementLayer {
        case .minimal?: return "\(profile) MEL"
        case .full?: return "\(profile) FEL"
        case nil: return "\(profile)"
        }
    }

    private static func note<Value: Equatable>(_ value: Value, in list: inout [Value]) {
        if !list.contains(value) { list.append(value) }
    }
}

extension DolbyVisionRPU.Level9 {
    /// The name of the primaries, such as "P3-D65"; `nil` where the coordinates are in the metadata.
    package var name: String? {
        let names = [
            "P3-D65", "BT.709", "BT.2020", "SMPTE-C", "BT.601", "DCI-P3", "ACES", "S-Gamut", "S-Gamut3.Cine",
        ]
        return names.indices.contains(Int(sourcePrimaryIndex)) ? names[Int(sourcePrimaryIndex)] : nil
    }
}

extension DolbyVisionRPU.Level11 {
    package var name: String {
        let names = ["unknown", "cinema", "games", "sport", "user generated"]
        return names.indices.contains(Int(contentType)) ? names[Int(contentType)] : "type \(contentType)"
    }
}
