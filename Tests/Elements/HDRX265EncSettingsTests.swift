import Foundation
import PluginSupport
import TestSupport
import Testing

/// The properties of `hdrx265enc`, its errors, and what it tells other elements: caps, messages and statistics.
@Suite struct HDRX265EncSettingsTests {
    static let source = "videotestsrc num-buffers=30 ! video/x-raw,format=I420_10LE,width=256,height=144,framerate=25/1"

    private func run(_ properties: String, source: String = source, behind: String = "! fakesink") throws
        -> Command.Result
    {
        try GstTool.launch("\(source) ! hdrx265enc name=e \(properties) \(behind)", options: ["-v", "-m"])
    }

    /// Properties, and what the error has to say.
    static let mistakes = [
        ("option-string=rc-lokahead=20", ["no option rc-lokahead", "Did you mean rc-lookahead?"]),
        ("option-string=xyzzyplugh=1", ["no option xyzzyplugh."]),
        ("option-string=me=fullest", ["fullest is no value of the option me."]),
        ("option-string=crf", ["the option crf needs a value, crf=VALUE."]),
        ("option-string=preset=slow", ["set the property speed-preset"]),
        ("option-string=input-res=64x64", ["the caps have the size"]),
        ("option-string=profile=main", ["do not fit the profile main"]),
        ("ambient-viewing-environment=12", ["12 is not illuminance:x:y, such as 3140000:15635:16450"]),
        ("ambient-viewing-environment=0:15635:16450", ["ambient illuminance is 0"]),
        ("option-string=bframes=99", ["libx265 refuses the settings", "standard error"]),
        ("pass=2 multipass-cache-file=/nonexistent/stats", ["/nonexistent/stats", "pass=1"]),
        ("option-string=zones=5,0,q=10", ["5,0,q=10 is no value of the option zones", "START,END,q=QUANTIZER"]),
        ("option-string=zonefile=zones.txt", ["zonefile is not an option here", "zones=START,END"]),
        ("option-string=master-display=foo", ["foo is no value of the option master-display", "G(13250,34500)"]),
        ("option-string=master_display", ["the option master-display needs a value", "G(13250,34500)"]),
        ("option-string=frame-dup=1:hrd=1:vbv-maxrate=900:vbv-bufsize=900", ["Leave frame-dup"]),
    ]

    @Test(arguments: mistakes) func errorsSayWhatIsWrong(_ properties: String, _ texts: [String]) throws {
        let outcome = try run(properties)
        #expect(outcome.status != 0)
        for text in texts { #expect(outcome.errors.contains(text), "\(text) in \(outcome.errors)") }
    }

    /// Sizes that cut a sample of chroma in two, each with a format and what the error has to say.
    @Test(arguments: [
        ("I420", 17, 17, "17x17, and HEVC in 4:2:0 needs an even width and height.", "videocrop right=1 bottom=1"),
        ("P010_10LE", 640, 361, "HEVC in 4:2:0 needs an even width and height", "videocrop bottom=1"),
        ("Y42B", 641, 361, "641x361, and HEVC in 4:2:2 needs an even width.", "videocrop right=1 "),
    ])
    func oddSizesAreRefused(_ format: String, _ width: Int, _ height: Int, _ text: String, _ remedy: String) throws {
        let source = "videotestsrc num-buffers=3 ! video/x-raw,format=\(format),width=\(width),height=\(height)"
        let outcome = try run("", source: source)
        #expect(outcome.status == 1 && outcome.errors.contains(text) && outcome.errors.contains(remedy), "\(outcome)")
    }

    @Test(arguments: [("Y444", 17, 17), ("Y42B", 640, 361)])
    func oddSizesAreEncodedWhereTheyMayBe(_ format: String, _ width: Int, _ height: Int) throws {
        let source = "videotestsrc num-buffers=3 ! video/x-raw,format=\(format),width=\(width),height=\(height)"
        let outcome = try run("speed-preset=ultrafast", source: source, behind: "! h265parse name=p ! fakesink")
        expectClean(outcome)
        #expect(outcome.output.contains(/p.GstPad:src: caps = .*width=\(int\)\d+, height=\(int\)\d+/))
        let caps = try #require(outcome.output.firstMatch(of: /p.GstPad:src: caps = (.*)/)).1
        #expect(caps.contains("width=(int)\(width), height=(int)\(height)"), "\(caps)")
    }

    @Test func capsThatAreNotReadAreAWarning() throws {
        let fields = ",mastering-display-info=(string)foo,content-light-level=(string)1000"
        let outcome = try run("speed-preset=ultrafast", source: "\(Self.source)\(fields)")
        #expect(outcome.status == 0)
        let told = outcome.output + outcome.errors
        for text in [
            "mastering-display-info=foo in the caps is not written", "content-light-level=1000 in the caps",
            "34000:16000:", "such as 1000:400",
        ] { #expect(told.contains(text), "\(text) in \(told)") }
    }

    /// Raw formats, and the profile, the tier and the level in the caps.
    static let profiles = [
        ("I420", "main"), ("I420_10LE", "main-10"), ("P010_10LE", "main-10"), ("I420_12LE", "main-12"),
        ("Y42B", "main-422-10"), ("I422_10LE", "main-422-10"), ("I422_12LE", "main-422-12"), ("Y444", "main-444"),
        ("Y444_10LE", "main-444-10"), ("Y444_12LE", "main-444-12"),
    ]

    @Test(arguments: profiles) func capsHaveProfileTierAndLevel(_ format: String, _ profile: String) throws {
        let source = Self.source.replacing("I420_10LE", with: format)
        let outcome = try run("speed-preset=ultrafast", source: source, behind: "! h265parse ! fakesink")
        expectClean(outcome)
        let caps = try #require(outcome.output.firstMatch(of: /e.GstPad:src: caps = (.*)/)).1
        for field in ["profile=(string)\(profile),", "tier=(string)main", "level=(string)2", "alignment=(string)au"] {
            #expect((caps + ",").contains(field), "\(field) in \(caps)")
        }
    }

    /// Formats follow from the profile that is asked for downstream, and special ones are declared.
    @Test(arguments: [
        ("main-10", "I420_10LE"), ("main", "I420"), ("main-422-10", "I422_10LE"), ("main-444-12", "Y444_12LE"),
        ("main-10-intra", "I420_10LE"),
    ])
    func downstreamAsksForAProfile(_ profile: String, _ format: String) throws {
        let source = "videotestsrc num-buffers=12 ! videoconvert"
        let outcome = try run(
            "speed-preset=ultrafast", source: source, behind: "! video/x-h265,profile=\(profile) ! h265parse ! fakesink"
        )
        expectClean(outcome)
        #expect(outcome.output.contains("e.GstPad:sink: caps = video/x-raw"))
        let caps = try #require(outcome.output.firstMatch(of: /e.GstPad:sink: caps = (.*)/)).1
        #expect(caps.contains("format=(string)\(format)") || profile == "main-422-10", "\(caps)")
    }

    @Test func anAmbientViewingEnvironmentIsAtEachKeyFrame() throws {
        let folder = try TemporaryFolder()
        let line = """
            \(Self.source) ! hdrx265enc speed-preset=ultrafast key-int-max=10
            ambient-viewing-environment=3140000:15635:16450 ! filesink location=\(folder.path("a.h265"))
            """
        expectClean(try GstTool.launch(line))
        let units = NALUnits(try folder.data("a.h265"))
        let expected: [UInt8] = [0x00, 0x2F, 0xE9, 0xA0, 0x3D, 0x13, 0x40, 0x42]
        #expect(units.messages(148) == [expected, expected, expected])
        #expect(units.types.filter { (16...23).contains($0) }.count == 3)
    }

    /// The numbers of a message, by their names.
    private func fields(_ name: String, in output: String) -> [[String: Double]] {
        output.split(separator: "\n").filter { $0.contains("(element): \(name),") }.map { line in
            var found: [String: Double] = [:]
            for match in line.matches(of: /([a-z0-9-]+)=\([a-z0-9]+\)(-?[0-9.e+-]+)/) {
                found[String(match.1)] = Double(match.2)
            }
            return found
        }
    }

    @Test(arguments: [false, true]) func statisticsArePosted(_ isMeasured: Bool) throws {
        let folder = try TemporaryFolder()
        let outcome = try run(
            "tune=none speed-preset=ultrafast picture-statistics=true option-string=info=0"
                + (isMeasured ? ":psnr=1:ssim=1 log-level=info" : ""),
            behind: "! filesink location=\(folder.path("a.h265"))")
        #expect(outcome.status == 0, "\(outcome)")
        let pictures = fields("hdr-x265-picture", in: outcome.output)
        let summary = try #require(fields("hdr-x265-statistics", in: outcome.output).first)
        #expect(pictures.count == 30)
        #expect(Set(pictures.compactMap { $0["stream-time"] }).count == 30)
        #expect(pictures.first?["running-time"] == 0 && pictures.first?["stream-time"] == 0)
        let bits = pictures.compactMap { $0["bits"] }.reduce(0, +)
        #expect(bits == Double(try folder.data("a.h265").count * 8))
        for picture in pictures {
            #expect((0...51).contains(try #require(picture["qp"])))
            #expect((picture["psnr"] != nil) == isMeasured && (picture["ssim"] != nil) == isMeasured)
            if isMeasured { #expect(try #require(picture["psnr"]) > 20 && (picture["ssim"] ?? 0) > 0.5) }
        }
        #expect(summary["pictures"] == 30)
        if isMeasured {
            let mean = pictures.compactMap { $0["psnr-y"] }.reduce(0, +) / 30
            #expect(abs(try #require(summary["psnr-y"]) - mean) < 0.1)
            #expect((0.5...1).contains(try #require(summary["ssim"])))
        }
    }

    @Test func measurementsThatAreNotMadeAreAWarning() throws {
        let outcome = try run("option-string=psnr=1")
        #expect(outcome.status == 0)
        #expect((outcome.output + outcome.errors).contains("only with log-level=info"), "\(outcome)")
        #expect(!outcome.output.contains("psnr-y="))
    }

    /// The output has the same bytes as that of the program, in both passes.
    @Test(.enabled(if: X265Clip.hasProgram, "the program x265 is not installed"))
    func twoPasses() throws {
        let folder = try TemporaryFolder()
        let clip = X265Clip()
        try clip.make(in: folder)
        let (own, other) = (folder.path("own.log"), folder.path("other.log"))
        for pass in [1, 2] {
            let element = try clip.encode(
                "tune=none bitrate=400 pass=\(pass) multipass-cache-file=\(own) option-string=info=0", in: folder)
            let program = try clip.encodeByProgram(
                "--bitrate 400 --pass \(pass) --stats \(other) --no-info \(HDRX265EncTests.pq)", in: folder)
            #expect(element == program, "pass \(pass): \(element.count) and \(program.count) bytes")
        }
    }

    // MARK: What gst-inspect-1.0 and the page say

    private func report(_ name: String) throws -> String {
        let outcome = try GstTool.run("gst-inspect-1.0", [name])
        expectClean(outcome)
        return outcome.output
    }

    /// The names of an element's properties, each with its line of type, range and default.
    private func properties(_ report: String) -> [String: String] {
        var found: [String: String] = [:]
        let text = "\n" + (report.components(separatedBy: "Element Properties:\n").last ?? "")
        for match in text.matches(of: /\n  ([a-z][a-z0-9-]*) *: .*\n.*\n +(.*)/) {
            found[String(match.1)] = match.2.split(separator: " ").joined(separator: " ")
        }
        return found
    }

    @Test func thePluginSaysWhatItIs() throws {
        let (plugin, own) = (try report("hdrx265"), try report("hdr"))
        #expect(InspectTests.field("License", in: plugin) == "GPL")
        for field in ["Version", "Source module", "Source release date"] {
            #expect(InspectTests.field(field, in: plugin) == InspectTests.field(field, in: own), "\(field)")
        }
        let element = try report("hdrx265enc")
        #expect(InspectTests.field("Rank", in: element) == "none (0)")
        #expect(InspectTests.field("Klass", in: element) == "Codec/Encoder/Video")
    }

    @Test func x265encsPropertiesHaveItsDefaults() throws {
        let (own, others) = (properties(try report("hdrx265enc")), properties(try report("x265enc")))
        #expect(
            Set(own.keys).subtracting(others.keys) == [
                "ambient-viewing-environment", "dynamic-metadata", "multipass-cache-file", "pass",
                "picture-statistics", "preferred-transfer",
            ])
        #expect(Set(others.keys).isSubset(of: own.keys))
        for (name, line) in others where name != "name" {
            let pattern = /Default: (.*)/
            #expect(own[name]?.firstMatch(of: pattern)?.1 == line.firstMatch(of: pattern)?.1, "\(name)")
        }
    }

    @Test func thePageListsTheSettings() throws {
        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/hdrx265enc.md"), encoding: .utf8)
        let documented = Set(page.matches(of: /\n\| `([a-z0-9-]+)` \|/).map { String($0.1) })
        let inherited: Set = ["name", "parent", "qos", "min-force-key-unit-interval"]
        #expect(documented == Set(properties(try report("hdrx265enc")).keys).subtracting(inherited))
    }

    /// Without libx265 the plugin does not load, and the other one does.
    @Test func theOtherPluginNeedsNoLibx265() throws {
        let folder = try TemporaryFolder()
        // A library of that name without its functions stands before the system's.
        _ = try folder.compile("int nothing;", as: "libx265.so.199", flags: ["-shared", "-fPIC"])
        let environment = [
            "LD_LIBRARY_PATH": folder.url.path, "GST_REGISTRY": folder.path("registry"), "GST_REGISTRY_UPDATE": "yes",
        ]
        let here = try GstTool.run("gst-inspect-1.0", ["hdrconvert"], environment: environment)
        #expect(here.status == 0 && here.output.contains("HDR video converter"), "\(here)")
        let missing = try GstTool.run("gst-inspect-1.0", ["--exists", "hdrx265enc"], environment: environment)
        #expect(missing.status != 0)
    }
}
