import HDRBitstream

/// The dynamic metadata of a video by shot. Pictures are added in presentation order.
package struct DynamicMetadataShots: Sendable {
    /// The light of a picture according to its metadata.
    package struct Light: Equatable, Sendable {
        /// Level 1 of Dolby Vision.
        package var level1: DolbyVisionRPU.Level1?
        /// The light of HDR10+: the largest of red, green and blue, and the mean of the pixels' largest components, in
        /// steps of 0.1 cd/m².
        package var maxSCL: UInt32?
        package var averageMaxRGB: UInt32?
    }

    package struct Shot: Equatable, Sendable {
        package var pictures: Range<Int>
        /// The smallest minimum, the largest maximum, and the mean of the averages; `nil` without level 1.
        package var level1: DolbyVisionRPU.Level1?
        /// The other blocks that its pictures have, each once, by level.
        package var blocks: [DolbyVisionRPU.Block]
        /// The HDR10+ metadata of its first picture that has some.
        package var hdr10Plus: HDR10PlusMetadata?
        /// The largest value of its pictures, and the mean of the averages, in steps of 0.1 cd/m².
        package var maxSCL: UInt32?
        package var averageMaxRGB: UInt32?
    }

    /// The kind of data that tells where shots begin.
    package enum Cuts: String, Sendable {
        /// The scene_refresh_flag of Dolby Vision.
        case flag
        /// Metadata that stay the same within a shot.
        case runs
        /// Jumps of the average light, where metadata change with each picture.
        case jumps
    }

    /// The change of the average, in PQ codes of 0...4095, that counts as a cut where nothing else indicates one.
    package static let jump = 256

    package private(set) var lights: [Light] = []
    /// The number of pictures that have metadata.
    package private(set) var dolbyVisionCount = 0
    package private(set) var hdr10PlusCount = 0
    private var flags: [Bool] = []
    /// For each picture the index of its blocks and of its HDR10+ metadata; pictures that follow each other share them.
    private var blockSets: [[DolbyVisionRPU.Block]] = []
    private var messages: [HDR10PlusMetadata] = []
    private var blockSet: [Int?] = []
    private var message: [Int?] = []

    package init() {}

    package mutating func add(_ rpu: DolbyVisionRPU?, _ hdr10Plus: HDR10PlusMetadata?) {
        var light = Light()
        let management = rpu?.displayManagement
        light.level1 = management?.level1
        if let window = hdr10Plus?.windows.first {
            light.maxSCL = window.maxSCL.max()
            light.averageMaxRGB = window.averageMaxRGB
        }
        lights.append(light)
        flags.append(management?.sceneRefreshFlag == 1)
        if rpu != nil { dolbyVisionCount += 1 }
        if hdr10Plus != nil { hdr10PlusCount += 1 }
        let blocks = management.map { ($0.blocks + ($0.extendedBlocks ?? [])).filter { $0.level != 1 } }
        blockSet.append(blocks.map { Self.index($0, in: &blockSets) })
        message.append(hdr10Plus.map { Self.index($0, in: &messages) })
    }

    private static func index<Value: Equatable>(_ value: Value, in list: inout [Value]) -> Int {
        if list.last != value { list.append(value) }
        return list.count - 1
    }

    // MARK: Cuts

    /// The pictures that begin shots, and the kind of data that tells so.
    package var cuts: (kind: Cuts, starts: [Int]) {
        guard !lights.isEmpty else { return (.runs, []) }
        let flagged = flags.indices.filter { flags[$0] }
        // Phones set the flag in each picture.
        if !flagged.isEmpty, flagged.count * 2 <= max(dolbyVisionCount, 2) {
            return (.flag, flagged.first == 0 ? flagged : [0] + flagged)
        }
        let runs = lights.indices.filter { index in
            guard index > 0 else { return true }
            if dolbyVisionCount > 0 { return lights[index].level1 != lights[index - 1].level1 }
            return message[index] != message[index - 1]
        }
        if runs.count * 2 <= lights.count + 1 { return (.runs, runs) }
        let jumps = lights.indices.filter { index in
            guard index > 0 else { return true }
            return abs(Self.average(lights[index]) - Self.average(lights[index - 1])) >= Self.jump
        }
        return (.jumps, jumps)
    }

    /// The average in PQ codes.
    private static func average(_ light: Light) -> Int {
        if let level1 = light.level1 { return Int(level1.averagePQ) }
        return Int(DolbyVisionLight.code(Double(light.averageMaxRGB ?? 0) / 10))
    }

    package var shots: [Shot] {
        let starts = cuts.starts
        return starts.indices.map { index in
            shot(starts[index]..<(index + 1 < starts.count ? starts[index + 1] : lights.count))
        }
    }

    private func shot(_ pictures: Range<Int>) -> Shot {
        var shot = Shot(pictures: pictures, blocks: [])
        let light = lights[pictures]
        let levels = light.compactMap(\.level1)
        if let first = levels.first {
            let sum = levels.reduce(0) { $0 + Int($1.averagePQ) }
            shot.level1 = .init(
                minimumPQ: levels.map(\.minimumPQ).min() ?? first.minimumPQ,
                maximumPQ: levels.map(\.maximumPQ).max() ?? first.maximumPQ,
                averagePQ: UInt16(clamping: (sum + levels.count / 2) / levels.count))
        }
        let averages = light.compactMap(\.averageMaxRGB)
        if !averages.isEmpty {
            shot.maxSCL = light.compactMap(\.maxSCL).max()
            shot.averageMaxRGB = UInt32(
                clamping: (averages.reduce(0) { $0 + Int($1) } + averages.count / 2) / averages.count)
        }
        var last: Int?
        for set in blockSet[pictures].compactMap({ $0 }) where set != last {
            last = set
            for block in blockSets[set] where !shot.blocks.contains(block) { shot.blocks.append(block) }
        }
        // The sort is stable.
        shot.blocks.sort { $0.level < $1.level }
        shot.hdr10Plus = message[pictures].lazy.compactMap { $0 }.first.map { messages[$0] }
        return shot
    }
}
