import Foundation
import PluginSupport
import Testing
import TestSupport

/// The output of `gst-inspect-1.0`, which is what users read first.
@Suite struct InspectTests {
    /// The names are a contract: scripts outside this repository use them.
    static let choices: [(property: String, standard: String, nicks: [String])] = [
        (
            "tone-mapping", "auto",
            [
                "auto", "none", "clip", "bt2390", "bt2446a", "bt2446c", "spline", "reinhard", "hable", "mobius",
                "reference-white",
            ]
        ),
        ("tone-mapping-domain", "max-rgb", ["max-rgb", "luminance", "rgb", "ictcp"]),
        ("inverse-tone-mapping", "none", ["none", "bt2446a", "bt2446c", "spline", "auto"]),
        ("gamut-mapping", "auto", ["clip", "softclip", "desaturate", "perceptual", "auto"]),
        ("dither", "ordered", ["none", "ordered", "blue-noise"]),
        ("chroma-mode", "linear", ["linear", "nearest"]),
        ("quality", "balanced", ["fast", "balanced", "reference"]),
        ("peak-detection", "auto", ["auto", "off"]),
        ("dynamic-metadata", "auto", ["auto", "ignore"]),
    ]

    /// Luminances in cd/m².
    static let luminances: [(property: String, range: ClosedRange<Double>, standard: Double)] = [
        ("reference-white", 1...10_000, 203),
        ("source-peak", 0...10_000, 0),
        ("target-peak", 0...10_000, 0),
        ("hlg-peak", 100...10_000, 1000),
    ]

    static let formats = [
        "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "I420_10LE", "I420_12LE", "I422_10LE", "I422_12LE",
        "Y444_10LE", "Y444_12LE", "Y444_16LE", "P010_10LE", "P012_LE", "P016_LE", "RGBA", "BGRA", "ARGB", "ABGR",
        "RGBx", "BGRx", "xRGB", "xBGR", "RGB", "BGR", "RGB10A2_LE", "BGR10A2_LE", "ARGB64_LE", "RGBA64_LE",
        "GBR_10LE", "GBR_12LE", "GBRA_12LE", "AYUV64", "v210", "NV16", "NV61", "NV24", "YUY2", "YVYU", "UYVY",
        "Y210", "Y212_LE", "v216", "AYUV", "VUYA", "Y410", "Y412_LE", "GBR", "GBRA_10LE", "BGRA64_LE", "ABGR64_LE",
        "GRAY8", "GRAY16_LE", "I420_10BE", "I420_12BE", "I422_10BE", "I422_12BE", "Y444_10BE", "Y444_12BE",
        "Y444_16BE", "P010_10BE", "P012_BE", "P016_BE", "Y212_BE", "Y412_BE", "GBR_10BE", "GBR_12BE", "GBRA_10BE",
        "GBRA_12BE", "ARGB64_BE", "RGBA64_BE", "BGRA64_BE", "ABGR64_BE", "GRAY16_BE",
        "A420", "A420_10LE", "A422_10LE", "A444_10LE", "A420_10BE", "A422_10BE", "A444_10BE", "GBRA",
    ]

    /// A property's lines of gst-inspect-1.0's report.
    struct Property {
        var blurb: String
        var lines: [String] = []
        /// The line with type, range and default.
        var type: String { lines.count > 1 ? lines[1].split(separator: " ").joined(separator: " ") : "" }
        /// The nicks and descriptions of an enum's values.
        var choices: [(nick: String, description: String)] {
            lines.dropFirst(2).compactMap { line in
                guard let match = line.firstMatch(of: /\(\d+\): (\S+)\s+- (.*)/) else { return nil }
                return (String(match.1), String(match.2))
            }
        }
    }

    let report: String
    let properties: [String: Property]

    init() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdrconvert"])
        expectClean(outcome)
        report = outcome.output
        var found: [String: Property] = [:]
        var current: String?
        for line in report.components(separatedBy: "Element Properties:\n").last?.components(separatedBy: "\n") ?? [] {
            if let match = line.wholeMatch(of: /\ \ ([a-z][a-z0-9-]*) *: (.*)/) {
                current = String(match.1)
                found[String(match.1)] = Property(blurb: String(match.2))
            } else if let current, line.hasPrefix("      ") {
                found[current]?.lines.append(line)
            }
        }
        properties = found
    }

    /// The value of a line such as "  License                  MPL-2.0".
    static func field(_ name: String, in text: String) -> String? {
        text.components(separatedBy: "\n").first { $0.hasPrefix("  \(name) ") }
            .map { $0.dropFirst(name.count + 2).trimmingCharacters(in: .whitespaces) }
    }

    @Test func thePluginSaysWhatItIs() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdr"])
        expectClean(outcome)
        #expect(Self.field("Name", in: outcome.output) == "hdr")
        #expect(Self.field("License", in: outcome.output) == "MPL-2.0")
        #expect(Self.field("Filename", in: outcome.output) == (try GstTool.plugin))
        #expect(Self.field("Source module", in: outcome.output) == "gst-hdr")
        #expect(Self.field("Version", in: outcome.output)?.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
        #expect(Self.field("Origin URL", in: outcome.output) == "Unknown package origin")
        #expect(outcome.output.contains("hdrconvert: HDR video converter"))
    }

    /// The release date is that of the changelog's newest entry, and so is the version, once the entry names one.
    @Test func theReleaseIsTheChangelogs() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdr"])
        let changelog = try String(contentsOfFile: Repository.path("CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        let entry = try #require(
            newest.wholeMatch(of: /## \[(.+)\] - (\d{4}-\d\d-\d\d)/), "the newest entry has no date: \(newest)")
        #expect(Self.field("Source release date", in: outcome.output) == String(entry.2))
        if entry.1 != "Unreleased" { #expect(Self.field("Version", in: outcome.output) == String(entry.1)) }
    }

    /// The elements' pages check the installation in this way.
    @Test(arguments: [
        "hdrconvert", "hdrtap", "hdrmux-settings", "edrsink", "hdrsrc", "hdrmetaparse", "hdrcompositor",
        "hdrvideosink", "hdrx265enc",
    ])
    func theElementExists(_ name: String) throws {
        let line = "gst-inspect-1.0 --exists --atleast-version=0.1 \(name)"
        let page = Repository.path("Sources/GstHDR/GstHDR.docc/\(name).md")
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("`\(line)`"))
        expectClean(try GstTool.run("gst-inspect-1.0", ["--exists", "--atleast-version=0.1", name]))
    }

    @Test func theElementSaysWhatItIs() {
        // A rank above none would change autoplugging in every program of the machine.
        #expect(Self.field("Rank", in: report) == "none (0)")
        #expect(Self.field("Klass", in: report) == "Filter/Converter/Video/Colorspace")
        #expect(Self.field("Long-name", in: report)?.isEmpty == false)
        #expect(Self.field("Description", in: report)?.isEmpty == false)
        #expect(Self.field("Author", in: report)?.isEmpty == false)
        #expect(report.contains("GstVideoFilter"))
    }

    /// Every property that belongs to the element itself.
    static let listed =
        choices.map(\.property) + luminances.map(\.property)
        + ["n-threads", "look-ahead", "contrast-recovery", "scene-light"]

    @Test func thePropertiesAreTheListedOnes() {
        let inherited: Set = ["name", "parent", "qos"]
        #expect(Set(properties.keys).subtracting(inherited) == Set(Self.listed))
    }

    @Test func everyPropertyCanChangeWhilePlaying() throws {
        for name in Self.listed {
            let flags = try #require(properties[name]?.lines.first)
            #expect(flags.contains("readable, writable"), "\(name)")
            #expect(flags.contains("changeable in NULL, READY, PAUSED or PLAYING state"), "\(name)")
        }
    }

    @Test(arguments: choices.indices)
    func anEnumHasItsChoicesAndDefault(index: Int) throws {
        let expected = Self.choices[index]
        let property = try #require(properties[expected.property])
        #expect(property.type.hasPrefix("Enum "))
        #expect(property.type.hasSuffix("\"\(expected.standard)\""))
        #expect(property.choices.map(\.nick) == expected.nicks)
        #expect(property.blurb.count > 10)
        for choice in property.choices {
            #expect(choice.description.count > choice.nick.count, "\(expected.property)=\(choice.nick) says nothing")
        }
    }

    @Test(arguments: luminances.indices)
    func aLuminanceHasItsUnitRangeAndDefault(index: Int) throws {
        let expected = Self.luminances[index]
        let property = try #require(properties[expected.property])
        let match = try #require(property.type.wholeMatch(of: /Double\. Range: (\S+) - (\S+) Default: (\S+)/))
        #expect(Double(match.1) == expected.range.lowerBound)
        #expect(Double(match.2) == expected.range.upperBound)
        #expect(Double(match.3) == expected.standard)
        #expect(property.blurb.contains("cd/m2"))
        #expect(property.lines.first?.contains("controllable") == true)
        if expected.standard == 0 { #expect(property.blurb.contains("0:"), "what 0 means") }
    }

    @Test func theNumberOfThreadsDefaultsToTheCores() throws {
        let property = try #require(properties["n-threads"])
        #expect(property.type.wholeMatch(of: /Unsigned Integer\. Range: 0 - \d+ Default: 0/) != nil)
        #expect(property.blurb.contains("Threads"))
        #expect(property.blurb.contains("0: one for each core"))
    }

    @Test func fourPicturesWaitForThoseBehindThem() throws {
        let property = try #require(properties["look-ahead"])
        #expect(property.type.wholeMatch(of: /Unsigned Integer\. Range: 0 - 32 Default: 4/) != nil)
        #expect(property.blurb.contains("live"))
    }

    @Test func contrastRecoveryIsAShare() throws {
        let property = try #require(properties["contrast-recovery"])
        #expect(property.type.wholeMatch(of: /Double\. Range: -1 - 1 Default: -1/) != nil)
        #expect(property.lines.first?.contains("controllable") == true)
        #expect(property.blurb.contains("0: none"))
    }

    @Test func bothPadsTakeEveryFormat() throws {
        let lists = report.matches(of: /format: \{ (.*) \}/).map { match in
            match.1.components(separatedBy: ", ").map { $0.replacingOccurrences(of: "(string)", with: "") }
        }
        #expect(lists.count == 2)
        for list in lists { #expect(list == Self.formats) }
        #expect(report.contains("SINK template: 'sink'"))
        #expect(report.contains("SRC template: 'src'"))
        #expect(report.matches(of: /Availability: Always/).count == 2)
    }

    @Test func nothingIsBlacklisted() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["-b"])
        expectClean(outcome)
        #expect(!outcome.output.contains("hdr"))
    }

    @Test func aTypoGetsGStreamersOwnError() throws {
        let name = try GstTool.launch("videotestsrc num-buffers=1 ! hdrconvert tone-maping=clip ! fakesink")
        #expect(name.status == 1)
        #expect(name.errors.contains("no property \"tone-maping\" in element \"hdrconvert\""))

        let value = try GstTool.launch("videotestsrc num-buffers=1 ! hdrconvert tone-mapping=bt2930 ! fakesink")
        #expect(value.status == 1)
        #expect(
            value.errors.contains("could not set property \"tone-mapping\" in element \"hdrconvert\" to \"bt2930\""))
    }
}
