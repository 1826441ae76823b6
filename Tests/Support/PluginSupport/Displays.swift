import CMockCompositor
import Foundation
import TestSupport
import Testing

/// Display systems for commands that are started by tests, each in the environment that leads to it and to no other.
package enum Displays {
    /// An environment without any display.
    package static let none = ["DISPLAY": "", "WAYLAND_DISPLAY": "none", "XDG_RUNTIME_DIR": "/nonexistent"]

    package static let missingXvfb = XServer.isInstalled ? nil : "Xvfb is not installed"
    package static let missingWeston = Command.exists("weston") ? nil : "weston is not installed"
}

extension XServer {
    /// The environment of a program that is to find this display.
    package var environment: [String: String] { Displays.none.merging(["DISPLAY": display]) { $1 } }
}

/// A Wayland compositor without a screen, which knows nothing of color management.
package final class WestonServer {
    private let process: ChildProcess
    private let folder: TemporaryFolder
    package let environment: [String: String]

    /// - Parameter more: further arguments of Weston's.
    package init(_ more: [String] = []) async throws {
        folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
        environment = Displays.none.merging(["XDG_RUNTIME_DIR": folder.url.path, "WAYLAND_DISPLAY": "wl"]) { $1 }
        process = try ChildProcess(
            "weston",
            [
                "--no-config", "--backend=headless-backend.so", "--use-pixman", "--width=640", "--height=480",
                "--socket=wl", "--idle-time=0",
            ] + more,
            environment: ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": folder.url.path]) { $1 })
        for _ in 0..<200 where !FileManager.default.fileExists(atPath: folder.path("wl")) {
            try await Task.sleep(for: .milliseconds(100))
        }
        guard FileManager.default.fileExists(atPath: folder.path("wl")) else {
            throw TestFailure("Weston did not start")
        }
    }

    deinit { process.terminate() }
}

/// A compositor in this process with color-management-v1, as Mutter offers it, and a display of 812 cd/m² whose SDR
/// white has 203: headroom 4.
package final class HDRCompositor: @unchecked Sendable {
    package let mock: OpaquePointer
    private let folder: TemporaryFolder
    package let environment: [String: String]

    package init() throws {
        folder = try TemporaryFolder()
        func bits(_ numbers: UInt32...) -> UInt32 { numbers.reduce(0) { $0 | 1 << $1 } }
        var options = mock_options()
        options.color_version = 1
        options.features = bits(0, 1, 2, 3, 4)
        options.transfers = bits(1, 2, 3, 5, 9, 11)
        options.primaries = bits(1, 2, 3, 4, 5, 6, 8, 9, 10)
        options.intents = bits(0)
        options.presentation_clock = CLOCK_MONOTONIC
        options.preferred = mock_luminances(min: 50, max: 10_000, reference: 203, target_min: 100, target_max: 812)
        options.output = options.preferred
        let formats = ["XB4H", "AB4H", "XB30", "XR30"].map {
            $0.utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        options.format_count = formats.count
        withUnsafeMutableBytes(of: &options.formats) { bytes in
            formats.withUnsafeBytes { bytes.copyMemory(from: $0) }
        }
        mock = try #require(mock_create(&options))
        let socket = folder.path("wl")
        try #require(mock_listen(mock, socket))
        environment = Displays.none.merging(["WAYLAND_DISPLAY": socket]) { $1 }
    }

    deinit { mock_destroy(mock) }

    package var descriptions: [mock_description] {
        (0..<mock_description_count(mock)).compactMap { index in
            var description = mock_description()
            return mock_description_get(mock, index, &description) ? description : nil
        }
    }
}
