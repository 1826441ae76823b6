import Foundation
import PluginSupport
import Testing
import TestSupport

/// pipelines/bandpass-sweep, which is `hdr tap --sweep`, as a user runs it.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BandpassSweepTests {
    let place: SoundFolder
    var folder: TemporaryFolder { place.folder }

    init() throws { place = try SoundFolder() }

    /// Runs the script in the test's folder. The limit leaves time for building the plugin.
    private func sweep(
        _ arguments: String..., script: String = Repository.path("pipelines/bandpass-sweep"),
        environment: [String: String] = [:]
    ) async throws -> Command.Result {
        var command = Command(script, arguments, directory: folder.url)
        command.environment = environment
        command.limit = .seconds(900)
        return try await command.run()
    }

    /// A folder with programs that do as a shell script says, in front of the search path.
    private func programs(_ names: [String], _ script: String) throws -> [String: String] {
        try FileManager.default.createDirectory(at: folder.url("bin"), withIntermediateDirectories: true)
        for name in names {
            try folder.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("bin/\(name)"))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": folder.path("bin") + ":" + path]
    }

    @Test func sweepsMusicWithoutArguments() async throws {
        let result = try await sweep()
        #expect(result.status == 0, "\(result.errors)")
        // Without a network the script makes its own music, and says so.
        let name = result.errors.contains("parsec47-data (BSD") ? "parsec47-sweep" : "generated-sweep"
        #expect(result.errors.contains("note: music "))
        #expect(
            folder.names == ["\(name).png", "\(name).wav"] || folder.names == ["ptn3-sweep.png", "ptn3-sweep.wav"])
        let output = try #require(folder.names.first { $0.hasSuffix(".wav") })
        #expect(result.output.contains("Wrote \(output)"))
        #expect(try await place.decode(output).seconds > 30)
        let plots = try await place.plots(output.replacingOccurrences(of: ".wav", with: ".png"))
        #expect(plots[0].mean > plots[1].mean + 20, "a narrow band is left of the music")
    }

    /// Away from the packages of the network, and without the music that an earlier run has kept.
    @Test func makesMusicOffline() async throws {
        // The packages and the plugin are there after this.
        #expect(try await sweep("absent.wav").status == 1)
        let manager = FileManager.default
        for name in ["pipelines", "build", "Sources"] {
            try manager.createDirectory(at: folder.url(name), withIntermediateDirectories: false)
        }
        try manager.copyItem(atPath: Repository.path("pipelines/lib"), toPath: folder.path("pipelines/lib"))
        try manager.copyItem(
            atPath: Repository.path("pipelines/bandpass-sweep"), toPath: folder.path("pipelines/bandpass-sweep"))
        for name in ["build/plugins", "build/bin"] {
            try manager.createSymbolicLink(atPath: folder.path(name), withDestinationPath: Repository.path(name))
        }
        // Sources that are older than what is built of them.
        try folder.write("", to: "Package.swift")
        for name in ["Sources", "Package.swift"] {
            try manager.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: folder.path(name))
        }
        let environment = try programs(["apt-get", "sudo"], "exit 100")
        let result = try await sweep(
            "--no-picture", script: folder.path("pipelines/bandpass-sweep"), environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        if manager.fileExists(atPath: "/usr/share/games/parsec47/sounds") { return }
        #expect(result.errors.contains("could not be fetched from Debian"), "\(result.errors)")
        #expect(result.errors.contains("music made by this command"), "\(result.errors)")
        #expect(folder.names == ["Package.swift", "Sources", "bin", "build", "generated-sweep.wav", "pipelines"])
        #expect(try await place.decode("generated-sweep.wav").rms > 0.001)
    }

    /// Frequencies by the names that the script has for them.
    @Test func knowsItsOwnNames() async throws {
        try await place.makeNoise()
        let result = try await sweep("noise.wav", "--from", "200", "--to=2000", "-o", "out.wav", "--no-picture")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("centre 200 to 2000 Hz"), "\(result.output)")
        #expect(folder.names == ["noise.wav", "out.wav"])
    }

    /// Help neither installs nor builds anything.
    @Test func givesHelp() async throws {
        let environment = try programs(
            ["apt-get", "sudo", "swift", "python3"], "touch '\(folder.path("called"))'")
        let result = try await sweep("--help", environment: environment)
        #expect(result.status == 0)
        #expect(result.output.contains("pipelines/bandpass-sweep [OPTION ...] [INPUT ...]"))
        #expect(result.errors.isEmpty)
        #expect(!folder.names.contains("called"))
    }
}
