import HDRBitstream

extension DolbyVisionRPU.Block {
    /// The content of a block in a few words, to follow its level.
    package var text: String {
        switch self {
        case .level1(let value):
            "minimum \(value.minimumPQ), maximum \(value.maximumPQ), average \(value.averagePQ)"
        case .level2(let value):
            "\(Self.light(value.targetMaximumPQ)): "
                + Self.trims([
                    ("slope", value.trimSlope), ("offset", value.trimOffset), ("power", value.trimPower),
                    ("chroma", value.trimChromaWeight), ("saturation", value.trimSaturationGain),
                    ("detail", UInt16(bitPattern: value.msWeight)),
                ])
        case .level3(let value):
            Self.trims([
                ("minimum", value.minimumPQOffset), ("maximum", value.maximumPQOffset),
                ("average", value.averagePQOffset),
            ])
        case .level4(let value): "anchor \(value.anchorPQ), power \(value.anchorPower)"
        case .level5(let value):
            "left \(value.left), right \(value.right), top \(value.top), bottom \(value.bottom)"
        case .level6(let value):
            "mastered to \(value.maximumMasteringLuminance) cd/m², MaxCLL \(value.maximumContentLightLevel), MaxFALL "
                + "\(value.maximumFrameAverageLightLevel)"
        case .level8(let value):
            "display \(value.targetDisplayIndex): "
                + Self.trims(
                    [
                        ("slope", value.trimSlope), ("offset", value.trimOffset), ("power", value.trimPower),
                        ("chroma", value.trimChromaWeight), ("saturation", value.trimSaturationGain),
                        ("detail", value.msWeight), ("mid contrast", value.targetMidContrast ?? 2048),
                        ("clip", value.clipTrim ?? 2048),
                    ], vectors: [("saturation by hue", value.saturationVector), ("hue", value.hueVector)])
        case .level9(let value): "primaries \(value.name ?? "of its own")"
        case .level10(let value):
            "display \(value.targetDisplayIndex): \(Self.light(value.targetMaximumPQ))"
        case .level11(let value): value.name + (value.referenceModeFlag ? ", reference mode" : "")
        case .level254(let value): "mode \(value.mode), version \(value.versionIndex)"
        case .level255(let value): "mode \(value.runMode), version \(value.runVersion)"
        case .other(_, let bytes): "\(bytes.count) bytes"
        }
    }

    private static func light(_ code: UInt16) -> String {
        "\(Int(DolbyVisionLight.candelas(code).rounded())) cd/m²"
    }

    /// The trims that are not neutral.
    private static func trims(_ trims: [(String, UInt16)], vectors: [(String, [UInt8]?)] = []) -> String {
        var parts = trims.filter { $0.1 != 2048 }.map { "\($0.0) \(Int16(bitPattern: $0.1))" }
        for (name, vector) in vectors {
            guard let vector, vector.contains(where: { $0 != 128 }) else { continue }
            parts.append("\(name) \(vector.map { "\($0)" }.joined(separator: " "))")
        }
        return parts.isEmpty ? "neutral" : parts.joined(separator: ", ")
    }
}
