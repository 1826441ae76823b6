import Foundation
import TestSupport
import Testing

@testable import HDRPresenter

/// A Weston without a display or input. Its desktop puts windows anywhere.
private final class Weston {
    static let programs = ["weston", "weston-screenshooter", "gst-launch-1.0"]

    static func path(_ program: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/"].map { $0 + program }.first(where: FileManager.default.isExecutableFile)
    }

    static var missing: String? { programs.first { path($0) == nil } }

    let folder: URL
    private var process: ChildProcess?
    var socket: String { folder.appendingPathComponent("wl").path }

    init(width: Int, height: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("weston-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Nothing fades, nothing moves.
        let shell = "[shell]\npanel-position=none\nanimation=none\nstartup-animation=none\nclose-animation=none\n"
        try shell.write(to: folder.appendingPathComponent("weston.ini"), atomically: true, encoding: .utf8)
        process = try start(
            "weston",
            [
                "--config=\(folder.path)/weston.ini", "--backend=headless-backend.so", "--use-pixman",
                "--width=\(width)", "--height=\(height)", "--socket=wl", "--idle-time=0", "--debug",
            ])
        let isThere = eventually(within: .seconds(20)) {
            guard let file = try? WaylandSocket.open(socket, deadline: 0) else { return false }
            return close(file) == 0
        }
        if !isThere { throw PresenterError("Weston did not start.") }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let environment = [
            "XDG_RUNTIME_DIR": folder.path, "WAYLAND_DISPLAY": "wl", "PATH": "/usr/bin:/bin", "HOME": folder.path,
        ]
        return try ChildProcess(
            Self.path(program) ?? program, arguments, environment: environment, directory: folder)
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let process = try start(program, arguments)
        guard process.wait(.seconds(60)) == .exited(0) else { throw PresenterError("\(program) failed.") }
    }

    func stop() { process?.terminate() }

    /// The pixels that the screen shows, as bytes R, G, B.
    func screenshot() throws -> [UInt8] {
        try run("weston-screenshooter")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(files.first { $0.hasSuffix(".png") })
        let picture = folder.appendingPathComponent(name)
        let raw = folder.appendingPathComponent("raw").path
        try run(
            "gst-launch-1.0", "filesrc", "location=\(picture.path)", "!", "pngdec", "!", "videoconvert", "!",
            "video/x-raw,format=RGB", "!", "filesink", "location=\(raw)")
        try FileManager.default.removeItem(at: picture)
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
    }
}

@Suite(.serialized, .timeLimit(.minutes(2)))
struct WestonTests {
    static let missing = Weston.missing
    private static let width = 320
    private static let height = 240
    private static let screenWidth = 640
    private static let screenHeight = 480

    /// The picture: a color for each pixel, as bytes R, G, B.
    private static func color(_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8) {
        (UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), UInt8(truncatingIfNeeded: x ^ y))
    }

    private static func fill(_ buffer: PresenterBuffer) {
        for y in 0..<height {
            for x in 0..<width {
                let (r, g, b) = color(x, y)
                let value: UInt32 =
                    switch buffer.description.format {
                    case .bgra8: UInt32(b) | UInt32(g) << 8 | UInt32(r) << 16 | 0xFF << 24
                    // 8 bits in 10, so that the top of them come back.
                    default: UInt32(r) << 2 | UInt32(g) << 12 | UInt32(b) << 22 | 3 << 30
                    }
                buffer.memory.storeBytes(of: value, toByteOffset: y * buffer.stride + x * 4, as: UInt32.self)
            }
        }
    }

    /// The number of pixels of a screenshot that differ from the picture and its view with the window at this place; it
    /// stops counting at ten.
    private static func differences(_ screen: [UInt8], _ left: Int, _ top: Int) -> Int {
        var count = 0
        for y in 0..<height {
            for x in 0..<width {
                let isPart = (16..<80).contains(x) && (8..<40).contains(y)
                let (r, g, b) = isPart ? color(x + 184, y + 92) : color(x, y)
                let at = ((y + top) * screenWidth + x + left) * 3
                if screen[at] != r || screen[at + 1] != g || screen[at + 2] != b { count += 1 }
                if count == 10 { return count }
            }
        }
        return count
    }

    /// Looks for the window all over the screen.
    private static func compare(_ screen: [UInt8]) throws {
        try #require(screen.count == screenWidth * screenHeight * 3)
        let counts = (0...screenHeight - height).flatMap { y in
            (0...screenWidth - width).map { x in differences(screen, x, y) }
        }
        #expect(counts.min() == 0)
    }

    @Test(
        .disabled(if: missing != nil, "\(missing ?? "") is not installed"),
        arguments: [PictureFormat.bgra8, .rgb10a2])
    func westonShowsThePictureAndItsViews(format: PictureFormat) throws {
        let weston = try Weston(width: Self.screenWidth, height: Self.screenHeight)
        let presenter = WaylandPresenter(displayName: weston.socket)
        let recorder = Recorder()
        try presenter.open(window: 0, size: (Self.width, Self.height), title: "Test", events: recorder)
        defer { presenter.close() }
        let choice = presenter.choose(wantsExtendedRange: true, format: format, encoding: nil)
        #expect(choice.format == format && choice.encoding.transfer == .sRGB)
        let picture = PictureDescription(
            width: Self.width, height: Self.height, format: format, encoding: choice.encoding, contentPeak: 203)
        try presenter.configure(picture)
        let whole = Session.whole(picture, Double(Self.width), Double(Self.height))
        // A part of the picture at another place, at its own size.
        let part = View(
            source: .init(x: 200, y: 100, width: 64, height: 32), destination: .init(x: 16, y: 8, width: 64, height: 32)
        )
        var times: [UInt64] = []
        for serial in UInt64(1)...20 {
            let buffer = try #require(try presenter.acquire())
            Self.fill(buffer)
            try presenter.present(buffer, serial: serial, views: [whole, part], target: nil)
            let feedback = try #require(recorder.feedback(serial))
            if let time = feedback.time { times.append(time) }
        }
        #expect(recorder.events.contains(.size(Self.width, Self.height)))
        #expect(presenter.display.refreshInterval == 16_666_666)
        #expect(times.count >= 15 && times == times.sorted())

        // The screenshot takes the unused byte for alpha, which is 0 after a conversion from 10 bits.
        if format == .bgra8 { try Self.compare(try weston.screenshot()) }

        weston.stop()
        #expect(recorder.failure != nil)
    }
}
