import Testing

@testable import HDRExport

@Suite struct EncodingTargetTests {
    /// A GKeyFile: groups of keys and values.
    static func parse(_ text: String) throws -> [(name: String, values: [String: String])] {
        var groups: [(name: String, values: [String: String])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") {
                #expect(line.hasSuffix("]"))
                groups.append((String(line.dropFirst().dropLast()), [:]))
            } else {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                try #require(parts.count == 2 && !groups.isEmpty, "\(line)")
                #expect(groups[groups.count - 1].values.updateValue(parts[1], forKey: parts[0]) == nil)
            }
        }
        return groups
    }

    @Test func everyPresetThatEncodesHasOne() {
        #expect(EncodingTarget.all.map(\.preset) == ExportPreset.allCases.filter { $0 != .passthrough })
        #expect(EncodingTarget(.passthrough) == nil)
    }

    @Test(arguments: EncodingTarget.all.map(\.preset)) func fileIsWellFormed(_ preset: ExportPreset) throws {
        let target = try #require(EncodingTarget(preset))
        #expect(target.path == "hdr/\(preset.rawValue).gep")
        let groups = try Self.parse(target.text)
        let header = try #require(groups.first)
        #expect(header.name == "GStreamer Encoding Target" && header.values["name"] == preset.rawValue)
        #expect(header.values["category"] == "hdr" && header.values["description"]?.isEmpty == false)
        // GStreamer takes lower-case letters, digits and hyphens, a letter first.
        #expect(preset.rawValue.first?.isLowercase == true)
        #expect(preset.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })

        let profiles = groups.filter { $0.name.hasPrefix("profile-") }
        #expect(profiles.map { $0.values["name"] } == target.profiles.map(\.name))
        #expect(profiles.allSatisfy { $0.values["type"] == "container" && $0.values["format"] != nil })
        #expect(target.profiles.first?.name == "default")
        let streams = groups.filter { $0.name.hasPrefix("streamprofile-") }
        #expect(streams.compactMap { $0.values["type"] } == (preset == .m4a ? ["audio"] : ["video", "audio"]))
        for stream in streams {
            let parents = stream.values["parent"]?.split(separator: ";").map(String.init)
            #expect(parents == target.profiles.map(\.name))
            #expect(stream.values["format"]?.isEmpty == false)
        }
        if let size = preset.maximumSize, let restriction = streams.first?.values["restriction"] {
            #expect(restriction.contains(", \(size.width), 2 ]") && restriction.contains(", \(size.height), 2 ]"))
            #expect(restriction.contains("pixel-aspect-ratio=(fraction)1/1"))
        }
    }

    @Test func proResAndPCM() throws {
        let text = try #require(EncodingTarget(.proRes4444)).text
        #expect(text.contains("format=video/x-prores, variant=(string)4444") && text.contains("format=audio/x-raw"))
        #expect(!text.contains("matroska") && !text.contains("variant=(string)iso"))
    }
}
