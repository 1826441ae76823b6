import Foundation
import PluginSupport
import Testing
import TestSupport

/// `GST_HDR_CPU` and the instruction sets that it chooses from, in the release plugin.
@Suite struct InstructionSetTests {
    /// The names that are printed, slowest first, and which of them this machine can run.
    static let names = ["baseline", "v3", "v4"]
    static let supported: [String] = {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = info.split(separator: "\n").first { $0.hasPrefix("flags") } ?? ""
        let flags = Set(line.split(separator: " "))
        func has(_ needed: [Substring]) -> Bool { flags.isSuperset(of: needed) }
        guard has(["avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "abm"]) else { return ["baseline"] }
        return has(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]) ? names : ["baseline", "v3"]
    }()

    static let source = """
        videotestsrc num-buffers=1 pattern=colors !
        video/x-raw,format=I420_10LE,width=641,height=239,colorimetry=bt2100-pq
        """

    /// The 16-bit samples that a launch line writes, and how it ended. `TARGET` is what follows the source.
    static func words(
        _ target: String, cpu: String?, debug: String = "", options: [String] = ["-q"]
    ) throws -> ([UInt16], Command.Result) {
        let scratch = try TemporaryFolder()
        var environment = ["GST_DEBUG": debug]
        if let cpu { environment["GST_HDR_CPU"] = cpu }
        let outcome = try GstTool.launch(
            "\(source) ! \(target) ! filesink location=\(scratch.path("out"))", options: options,
            environment: environment)
        try #require(outcome.status == 0, "\(outcome)")
        let data = try scratch.data("out")
        try #require(!data.isEmpty)
        return (data.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map { UInt16(littleEndian: $0) } }, outcome)
    }

    static let conversions = [
        "format=Y444_10LE,colorimetry=bt709", "format=Y444_10LE,colorimetry=bt2100-hlg",
        "format=GBR_10LE,colorimetry=sRGB", "format=I420_10LE,colorimetry=bt2100-pq,chroma-site=jpeg",
    ]

    /// Every set's pictures are near those of `reference`, which `fast` ones of these colours are not.
    @Test(arguments: supported, conversions)
    func everySetGivesThePicture(_ cpu: String, _ caps: String) throws {
        func picture(_ quality: String, _ cpu: String) throws -> [UInt16] {
            let target = "hdrconvert dither=none quality=\(quality) ! video/x-raw,\(caps)"
            return try Self.words(target, cpu: cpu).0
        }
        let definition = try picture("reference", "baseline")
        for quality in ["balanced", "reference"] {
            let ours = try picture(quality, cpu)
            try #require(ours.count == definition.count)
            let differences = zip(ours, definition).map { abs(Int($0) - Int($1)) }
            let mean = Double(differences.reduce(0, +)) / Double(ours.count)
            #expect(differences.max()! <= 2 && mean <= 0.05, "\(quality): largest \(differences.max()!), mean \(mean)")
        }
        // The picture has many colours.
        #expect(Set(definition).count > 256)
    }

    /// Lines of the category that name a set as a word of its own.
    static func logged(_ name: String, _ outcome: Command.Result) -> Bool {
        outcome.errors.split(separator: "\n").contains { line in
            line.contains("hdrconvert")
                && line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.contains(Substring(name))
        }
    }

    @Test(arguments: supported) func theLogNamesTheSet(_ cpu: String) throws {
        let target = "hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709"
        let outcome = try Self.words(target, cpu: cpu, debug: "hdrconvert:5").1
        for name in Self.names {
            #expect(Self.logged(name, outcome) == (name == cpu), "\(name): \(outcome.errors)")
        }
    }

    /// Without the variable the best set is chosen.
    @Test func theBestSetIsChosen() throws {
        let target = "hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709"
        let outcome = try Self.words(target, cpu: nil, debug: "hdrconvert:5").1
        #expect(Self.logged(Self.supported.last!, outcome), "\(outcome.errors)")
        #expect(!outcome.errors.contains("GST_HDR_CPU"), "\(outcome.errors)")
    }

    /// An unknown instruction set, or one that the machine lacks, causes a warning, and the best one is taken.
    @Test(arguments: ["bogus", "v2", "avx512-vnni"] + names.filter { !supported.contains($0) })
    func anUnknownNameIsWarnedOf(_ cpu: String) throws {
        let target = "hdrconvert dither=none ! video/x-raw,format=Y444_10LE,colorimetry=bt709"
        // gst-launch-1.0 shows warnings where it is not told to be quiet.
        let (picture, outcome) = try Self.words(target, cpu: cpu, options: [])
        let said = outcome.output + outcome.errors
        #expect(said.contains("WARNING") && said.contains("GST_HDR_CPU=\(cpu)"), "\(said)")
        for name in Self.supported { #expect(said.contains(name), "\(name): \(said)") }
        let (best, quiet) = try Self.words(target, cpu: nil, options: [])
        #expect(picture == best)
        #expect(!(quiet.output + quiet.errors).contains("WARNING"), "\(quiet.output)")
    }

    /// So do the other elements with kernels.
    @Test(
        arguments: [
            "hdrtap effect=sepia", "hdrcompositor ! video/x-raw,format=Y444_10LE",
            "tee name=t ! queue ! edrsink presenter=offscreen sync=false t. ! queue",
        ])
    func everyElementWarns(_ element: String) throws {
        for (cpu, count) in [("bogus", 1), (Self.supported[0], 0)] {
            let outcome = try Self.words(element, cpu: cpu, options: []).1
            let said = outcome.output + outcome.errors
            #expect(said.components(separatedBy: "GST_HDR_CPU=bogus is unknown").count - 1 == count, "\(outcome)")
        }
    }

    /// A known name is taken without a warning.
    @Test(arguments: supported) func aKnownNameIsNotWarnedOf(_ cpu: String) throws {
        let target = "hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709"
        let outcome = try Self.words(target, cpu: cpu, options: []).1
        #expect(!(outcome.output + outcome.errors).contains("WARNING"), "\(outcome.output)")
    }
}
