import CMockCompositor
import Foundation
import PluginSupport
import Testing
import TestSupport

/// pipelines/edr-info, which is `hdr displays`, as a user runs it, on displays of several kinds.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct EDRInfoTests {
    func info(_ environment: [String: String], _ arguments: String...) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/edr-info"), arguments)
        command.environment = environment
        command.limit = .seconds(900)
        return try await command.run()
    }

    struct Report: Decodable {
        struct Display: Decodable {
            enum CodingKeys: String, CodingKey {
                case system, available, headroom, reasons, features
                case isEligible = "eligible-for-hdr-playback"
                case potentialHeadroom = "potential-headroom"
                case referenceWhite = "reference-white"
                case pixelFormat = "pixel-format"
                case pixelFormats = "pixel-formats"
                case colorSpace = "color-space"
            }
            let system: String
            let available: Bool
            let isEligible: Bool?
            let headroom: Double?
            let potentialHeadroom: Double?
            let referenceWhite: Double?
            let pixelFormat: String?
            let pixelFormats: [String]?
            let colorSpace: String?
            let features: [String]?
            let reasons: [String]
        }
        let displays: [Display]
    }

    /// The command's report of one display system, and its exit status.
    func display(_ system: String, _ environment: [String: String]) async throws -> (Report.Display, Int32) {
        let result = try await info(environment, "--json")
        #expect(result.errors.isEmpty, "\(result.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(report.displays.map(\.system) == ["wayland", "x11", "offscreen"])
        return (try #require(report.displays.first { $0.system == system }), result.status)
    }

    @Test func saysThatThereIsNoDisplay() async throws {
        for system in ["wayland", "x11"] {
            let (display, status) = try await display(system, Displays.none)
            #expect(status == 1)
            #expect(!display.available && display.reasons.count == 1 && display.reasons[0].count > 20)
        }
        let result = try await info(Displays.none)
        #expect(result.status == 1)
        #expect(result.output.contains("There is no display here"), "\(result.output)")
        #expect(result.output.contains("not available"))
    }

    @Test func describesTheOffscreenDisplay() async throws {
        let (display, _) = try await display("offscreen", Displays.none)
        #expect(display.available && display.isEligible == false, "pictures that are not seen are no playback")
        #expect(display.pixelFormat == "rgba16f" && display.colorSpace == "extended-linear-display-p3")
        #expect(abs((display.headroom ?? 0) - 1000.0 / 203) < 1e-6)
        #expect(display.reasons.isEmpty)
    }

    @Test(
        .enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed"),
        arguments: zip([24, 30], ["bgra8", "bgr10a2"]))
    func describesX11(depth: Int, format: String) async throws {
        let server = try XServer(depth: depth)
        let (display, status) = try await display("x11", server.environment)
        #expect(status == 1)
        #expect(display.available && display.isEligible == false && display.headroom == 1)
        #expect(display.pixelFormat == format && display.colorSpace == "srgb")
        #expect(display.features?.contains("depth-\(depth)") == true)
        #expect(display.reasons.contains { $0.contains("X11 has no HDR") })
    }

    @Test(.enabled(if: Displays.missingWeston == nil, "weston is not installed"))
    func saysWhatWestonLacks() async throws {
        let server = try await WestonServer()
        let (display, status) = try await display("wayland", server.environment)
        #expect(status == 1)
        #expect(display.available && display.isEligible == false && display.colorSpace == "srgb")
        #expect(display.reasons.contains { $0.contains("color-management-v1") })
        let table = try await info(server.environment)
        #expect(table.output.contains("No display here can show HDR"))
        // Four ways of showing HDR fail for one reason, which is said once.
        #expect(table.output.matches(of: /color-management-v1/).count == 1, "\(table.output)")
    }

    @Test func findsAnHDRDisplay() async throws {
        let compositor = try HDRCompositor()
        let (display, status) = try await display("wayland", compositor.environment)
        #expect(status == 0)
        #expect(display.available && display.isEligible == true)
        #expect(display.headroom == 4 && display.potentialHeadroom == 4 && display.referenceWhite == 203)
        #expect(display.pixelFormats?.contains("rgba16f") == true)
        #expect(display.colorSpace != "srgb")
        let table = try await info(compositor.environment)
        #expect(table.status == 0)
        #expect(table.output.contains("HDR can be shown on wayland."), "\(table.output)")
    }

    @Test func opensNoWindow() async throws {
        let compositor = try HDRCompositor()
        _ = try await info(compositor.environment)
        #expect(mock_frame_count(compositor.mock) == 0)
    }

    @Test func refusesWrongOptions() async throws {
        let result = try await info(Displays.none, "--bogus")
        #expect(result.status == 2)
        #expect(result.errorLines.count == 1 && result.errors.hasPrefix("hdr displays: no option"), "\(result.errors)")
        #expect(try await info(Displays.none, "clip.mov").status == 2)
        let help = try await info(Displays.none, "--help")
        #expect(help.status == 0 && help.output.contains("pipelines/edr-info [--json]") && help.errors.isEmpty)
        let quiet = try await info(Displays.none, "--quiet")
        #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
    }
}
