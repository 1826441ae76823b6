import HDRBitstream

/// The HDR10+ metadata of a film in the JSON that hdr10plus_tool and other generators write, with an entry of SceneInfo
/// for each picture. The form cannot express some fields: ``losses`` names them.
package struct HDR10PlusDocument: Equatable, Sendable {
    /// The metadata of all pictures in presentation order.
    package var frames: [HDR10PlusMetadata]
    /// The content of ToolInfo: the tool that wrote the document, and its version.
    package var tool: String
    package var toolVersion: String

    package init(frames: [HDR10PlusMetadata], tool: String, toolVersion: String) {
        self.frames = frames
        self.tool = tool
        self.toolVersion = toolVersion
    }

    /// The content of HDR10plusProfile: the profile of all pictures, "A" or "B", or else "N/A".
    package var profile: String {
        let first = frames.first?.profile
        guard let first, frames.allSatisfy({ $0.profile == first }) else { return frames.isEmpty ? "A" : "N/A" }
        return first.rawValue
    }

    /// Runs of pictures whose metadata are the same in this form.
    package var scenes: [Range<Int>] {
        var scenes: [Range<Int>] = []
        var start = 0
        let entries = frames.map(Entry.init)
        for index in frames.indices.dropFirst() where entries[index] != entries[index - 1] {
            scenes.append(start..<index)
            start = index
        }
        if !frames.isEmpty { scenes.append(start..<frames.count) }
        return scenes
    }

    /// What the form cannot express of these metadata, in plain words, each once.
    package var losses: [String] {
        var found: [String] = []
        func lose(_ what: String, where isLost: (HDR10PlusMetadata) -> Bool) {
            let count = frames.count(where: isLost)
            if count > 0 { found.append("\(what), in \(count) of \(frames.count) pictures") }
        }
        lose("all windows but the first") { $0.windows.count > 1 }
        lose("fraction_bright_pixels") { $0.windows.contains { $0.fractionBrightPixels != 0 } }
        lose("color_saturation_weight") { $0.windows.contains { $0.colorSaturationWeight != nil } }
        lose("actual_peak_luminance") {
            $0.targetedSystemDisplayActualPeakLuminance != nil || $0.masteringDisplayActualPeakLuminance != nil
        }
        lose("data after the last field") { !$0.trailing.isEmpty }
        if let first = frames.first {
            lose("another application_version than the first picture's") {
                $0.applicationVersion != first.applicationVersion
            }
        }
        return found
    }

    /// The part of a picture's metadata that the form can express.
    private struct Entry: Equatable {
        let windows: Int
        let target: UInt32
        let window: HDR10PlusMetadata.Window

        init(_ metadata: HDR10PlusMetadata) {
            windows = metadata.windows.count
            target = metadata.targetedSystemDisplayMaximumLuminance
            var window = metadata.windows.first ?? .init()
            window.fractionBrightPixels = 0
            window.colorSaturationWeight = nil
            self.window = window
        }
    }
}

// MARK: Writing

extension HDR10PlusDocument {
    package var json: JSON {
        let scenes = scenes
        var entries: [JSON] = []
        for (number, scene) in scenes.enumerated() {
            for index in scene { entries.append(entry(index, scene: number, start: scene.lowerBound)) }
        }
        return .object([
            (
                "JSONInfo",
                .object([
                    ("HDR10plusProfile", .string(profile)),
                    ("Version", .string("\(frames.first?.applicationVersion ?? 1).0")),
                ])
            ),
            ("SceneInfo", .array(entries)),
            (
                "SceneInfoSummary",
                .object([
                    ("SceneFirstFrameIndex", .array(scenes.map { .integer($0.lowerBound) })),
                    ("SceneFrameNumbers", .array(scenes.map { .integer($0.count) })),
                ])
            ),
            ("ToolInfo", .object([("Tool", .string(tool)), ("Version", .string(toolVersion))])),
        ])
    }

    /// The document as the text of a file.
    package var text: String {
        var output = ""
        json.write(to: &output, indent: "")
        return output + "\n"
    }

    private func entry(_ index: Int, scene: Int, start: Int) -> JSON {
        let metadata = frames[index]
        let window = metadata.windows.first ?? .init()
        var members: [(String, JSON)] = []
        if let curve = window.toneMapping {
            members.append(
                (
                    "BezierCurveData",
                    .object([
                        ("Anchors", .array(curve.bezierCurveAnchors.map(JSON.integer))),
                        ("KneePointX", .integer(curve.kneePoint.x)), ("KneePointY", .integer(curve.kneePoint.y)),
                    ])
                ))
        }
        let steps = window.distributionMaxRGB
        members += [
            (
                "LuminanceParameters",
                .object([
                    ("AverageRGB", .integer(window.averageMaxRGB)),
                    (
                        "LuminanceDistributions",
                        .object([
                            ("DistributionIndex", .array(steps.map { .integer($0.percentage) })),
                            ("DistributionValues", .array(steps.map { .integer($0.percentile) })),
                        ])
                    ),
                    ("MaxScl", .array((0..<3).map { .integer(window.maxSCL[$0]) })),
                ])
            ),
            ("NumberOfWindows", .integer(metadata.windows.count)),
            ("TargetedSystemDisplayMaximumLuminance", .integer(metadata.targetedSystemDisplayMaximumLuminance)),
            ("SceneFrameIndex", .integer(index - start)), ("SceneId", .integer(scene)),
            ("SequenceFrameIndex", .integer(index)),
        ]
        return .object(members)
    }
}
