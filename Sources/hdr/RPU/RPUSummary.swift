import HDRBitstream
import HDRInspection
import HDRMetadata
import HDRPipeline

/// RPUs of a film, for people and for machines.
struct RPUSummary {
    let summary: DolbyVisionSummary
    /// The transfer function of the base layer, a code point of H.273; `nil` where there is no video.
    let transfer: UInt8?

    /// - Throws: where an RPU is invalid.
    init(_ list: RPUList, of input: FileName) throws {
        var summary = DolbyVisionSummary()
        try list.forEach(of: input) { _, rpu, _ in summary.add(rpu) }
        self.summary = summary
        transfer = list.transfer
    }

    /// Whether some are of profiles that have an enhancement layer: 4 and 7.
    var hasEnhancementLayer: Bool { summary.profiles.contains { $0.hasPrefix("7") || $0.hasPrefix("4") } }

    private var profiles: [String] { profiles(transfer) }

    /// Profiles, as people write them.
    private func profiles(_ transfer: UInt8?) -> [String] {
        summary.profiles.map { name in
            let compatibility = transfer.map { DolbyVisionCompatibility.identifier(transfer: $0) } ?? 0
            return name == "8" && compatibility > 0 ? "8.\(compatibility)" : name
        }
    }

    /// A summary in a few words.
    var title: String { title(transfer: transfer) }

    /// - Parameter transfer: of the base layer that the RPUs go with, a code point of H.273.
    func title(transfer: UInt8?) -> String { "profile \(profiles(transfer).joined(separator: ", "))" }

    private var version: String {
        switch summary.extendedCount {
        case 0: "2.9"
        case summary.count: "4.0"
        default: "2.9, and 4.0 in \(summary.extendedCount)"
        }
    }

    /// A line for each thing that is known.
    var text: String {
        var rows: [(String, String)] = [
            ("RPUs", "\(summary.count)"), ("profile", profiles.joined(separator: ", ")),
            ("content mapping", version), ("scene cuts", "\(summary.sceneCount)"),
            ("reshaping", summary.reshapedCount == 0 ? "none" : "in \(summary.reshapedCount)"),
        ]
        rows.append(
            (
                "levels",
                summary.levels.sorted { $0.key < $1.key }.map { level, count in
                    count == summary.count ? "L\(level)" : "L\(level) in \(count)"
                }.joined(separator: ", ")
            ))
        func add(_ name: String, _ list: [String]) {
            guard !list.isEmpty else { return }
            let more = list.count > 4 ? ", and \(list.count - 4) more" : ""
            rows.append((name, list.prefix(4).joined(separator: "; ") + more))
        }
        add(
            "mastering display",
            summary.sources.map { "\(Self.light($0.x)) to \(Self.light($0.y)) cd/m² (\($0.x), \($0.y))" })
        if let light = summary.largest {
            add(
                "largest of L1",
                [
                    "maximum \(Self.light(light.maximumPQ)) cd/m² (\(light.maximumPQ)), average "
                        + "\(Self.light(light.averagePQ)) cd/m² (\(light.averagePQ)), minimum "
                        + "\(Self.light(light.minimumPQ)) cd/m² (\(light.minimumPQ))"
                ])
        }
        add("L2, displays of", summary.trimTargets.map { "\(Self.light($0)) cd/m²" })
        add(
            "L5, active area",
            summary.areas.map { "left \($0.left), right \($0.right), top \($0.top), bottom \($0.bottom)" })
        add(
            "L6",
            summary.staticMetadata.map {
                "\((Double($0.minimumMasteringLuminance) / 10000).fixed(4)) to \($0.maximumMasteringLuminance) cd/m², "
                    + "MaxCLL \($0.maximumContentLightLevel), MaxFALL \($0.maximumFrameAverageLightLevel)"
            })
        add("L8, displays", summary.trimDisplays.map { "\($0)" })
        add("L9, primaries", summary.primaries.map { $0.name ?? "of its own" })
        add("L11, content", summary.contents.map { $0.name + ($0.referenceModeFlag ? ", reference mode" : "") })
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + Table.padded($0.0, width) + "   " + $0.1 + "\n" }.joined()
    }

    /// cd/m² of a code of PQ, with as many digits as matter.
    static func light(_ code: UInt16) -> String {
        let light = DolbyVisionLight.candelas(code)
        return light >= 99.5 ? light.fixed(0) : light >= 9.95 ? light.fixed(1) : light.fixed(light < 0.1 ? 4 : 2)
    }

    var json: [(String, JSON)] {
        func codes(_ values: [UInt16]) -> JSON { .array(values.map(JSON.integer)) }
        return [
            ("rpus", .integer(summary.count)), ("profiles", .array(profiles.map(JSON.string))),
            ("rpus-of-content-mapping-4.0", .integer(summary.extendedCount)),
            ("scene-cuts", .integer(summary.sceneCount)), ("reshaped-rpus", .integer(summary.reshapedCount)),
            (
                "levels",
                .object(summary.levels.sorted { $0.key < $1.key }.map { ("\($0.key)", .integer($0.value)) })
            ),
            ("source-pq", .array(summary.sources.map { codes([$0.x, $0.y]) })),
            (
                "largest-level1-pq",
                .optional(summary.largest) { codes([$0.minimumPQ, $0.maximumPQ, $0.averagePQ]) }
            ),
            ("level2-target-pq", codes(summary.trimTargets)),
            ("level5", .array(summary.areas.map { codes([$0.left, $0.right, $0.top, $0.bottom]) })),
            (
                "level6",
                .array(
                    summary.staticMetadata.map {
                        codes([
                            $0.maximumMasteringLuminance, $0.minimumMasteringLuminance, $0.maximumContentLightLevel,
                            $0.maximumFrameAverageLightLevel,
                        ])
                    })
            ),
            ("level8-displays", .array(summary.trimDisplays.map(JSON.integer))),
            ("level9", .array(summary.primaries.map { .text($0.name) })),
            ("level11", .array(summary.contents.map { .string($0.name) })),
        ]
    }
}
