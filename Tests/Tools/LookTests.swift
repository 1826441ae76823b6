import Foundation
import PluginSupport
import TestSupport
import Testing

/// The look lab, a Python program of the tests.
private enum Look {
    static let folder = Repository.path("Tests/Look")
    static let canRun =
        (try? Command("/usr/bin/python3", ["-c", "import numpy, PIL"]).runToEnd())?.status == 0

    static func run(_ program: String, _ arguments: [String] = []) throws -> Command.Result {
        try GstTool.run("/usr/bin/python3", ["-s", "-B", "\(folder)/\(program).py"] + arguments, timeout: 120)
    }
}

/// The accuracy of the lab's figures, and its contact sheet.
@Suite(.enabled(if: Look.canRun, "numpy or Pillow is not installed"))
struct LookTests {
    @Test func figuresAreThoseOfKnownPictures() throws {
        let outcome = try Look.run("test_look")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("\nOK\n"), "\(outcome)")
    }

    private struct Report: Decodable {
        struct Figures: Decodable {
            let mean: Double
            let white: Double?
            let hue: Double
        }
        let clips: [String: [String: Figures]]
        let leftOut: [String]
        enum CodingKeys: String, CodingKey {
            case clips
            case leftOut = "left_out"
        }
    }

    /// The sheet, the table and the figures of a rendered scene; a clip that is missing is named.
    @Test func aSheetIsMade() throws {
        let scratch = try TemporaryFolder()
        let outcome = try Look.run(
            "look",
            [
                "now:", "cut:tone-mapping=clip", "oracle:bt2390", "--clips", "office,roof", "--no-libplacebo",
                "--samples", scratch.path("none"), "--output", scratch.path("look"), "--cache", scratch.path("cache"),
            ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("left out: roof: hdr10-plus-no-colr.mp4 is not in"), "\(outcome)")
        let png = try scratch.data("look/look.png")
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]) && png.count > 50_000)

        let report = try JSONDecoder().decode(Report.self, from: try scratch.data("look/look.json"))
        #expect(report.leftOut.count == 1)
        let office = try #require(report.clips["office"])
        #expect(Set(office.keys) == ["now", "cut", "oracle:bt2390"])
        // Cut at 203 cd/m², which this scene's paper is at: white stays white, and no method is brighter.
        let cut = try #require(office["cut"])
        #expect(try #require(cut.white) > 99)
        #expect(try #require(office["now"]).mean < cut.mean)
    }

    @Test func mistakesAreNamed() throws {
        let scratch = try TemporaryFolder()
        let place = ["--output", scratch.path("look"), "--cache", scratch.path("cache")]
        let unknown = try Look.run("look", ["--clips", "offices"] + place)
        #expect(unknown.status == 1 && unknown.errors.contains("no clip is called offices"), "\(unknown)")
        let crop = try Look.run("look", ["--crop", "0,0,2,1"] + place)
        #expect(crop.status == 1 && crop.errors.contains("--crop takes"), "\(crop)")
        let wrong = try Look.run("look", ["tone-mapping=none-such", "--clips", "office"] + place)
        #expect(wrong.status == 1 && wrong.output.contains("left out: office: tone-mapping=none-such"), "\(wrong)")
    }
}
