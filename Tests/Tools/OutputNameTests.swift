import Foundation
import PluginSupport
import Testing
import TestSupport

/// Outputs that are links, and names that would control a terminal, alike in all commands.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutputNameTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: [String]) async throws -> Command.Result {
        try await HDRCommand.run(words, in: folder)
    }

    /// Command lines that write an output.
    private static func lines(_ input: String, _ stem: String) -> [(output: String, words: [String])] {
        [
            ("\(stem).mov", ["export", input, "-o", "\(stem).mov", "--speed", "ultrafast"]),
            ("\(stem).mp4", ["convert", input, "-o", "\(stem).mp4", "--no-picture"]),
            ("\(stem).mkv", ["concat", input, input, "-o", "\(stem).mkv", "--speed", "ultrafast"]),
            ("\(stem).png", ["snapshot", input, "--at", "0.1", "-o", "\(stem).png"]),
            ("\(stem).wav", ["tap", "--sweep", input, "-o", "\(stem).wav", "--no-picture"]),
        ]
    }

    @Test func linksAreWrittenWhereTheyLead() async throws {
        let manager = FileManager.default
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        try manager.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: false)
        for (output, words) in Self.lines("clip.mkv", "out") {
            let (link, target) = (folder.path(output), folder.path("other/\(output)"))
            try manager.createSymbolicLink(atPath: link, withDestinationPath: "other/\(output)")
            let refused = try await run(words)
            #expect(refused.status == 1, "\(words)")
            #expect(refused.errors.contains("\(output) is a link to "), "\(refused.errors)")
            #expect(refused.errors.contains("--force"), "\(refused.errors)")
            #expect(!manager.fileExists(atPath: target))
            for _ in 0..<2 {
                let forced = try await run(words + ["--force", "--quiet"])
                #expect(forced.status == 0, "\(forced.errors)")
                #expect(try manager.destinationOfSymbolicLink(atPath: link) == "other/\(output)", "\(words)")
                #expect(try manager.attributesOfItem(atPath: target)[.size] as? Int ?? 0 > 0, "\(words)")
            }
            let exists = try await run(words)
            #expect(exists.status == 1 && exists.errors.contains("exists already"), "\(exists.errors)")
        }
        #expect(try manager.contentsOfDirectory(atPath: folder.path("other")).count == 5)
    }

    /// The system's link to a pipe, which is what the test reads.
    @Test func standardOutputIsNoFile() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        let refused = try await run(["export", "clip.mkv", "--file-type", "mov", "-o", "/dev/stdout"])
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("/dev/stdout is not a regular file: name another output"), "\(refused.errors)")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.path("loop.mov"), withDestinationPath: "loop.mov")
        let loop = try await run(["export", "clip.mkv", "-o", "loop.mov"])
        #expect(loop.errors.contains("loop.mov is a link that leads to itself"), "\(loop.errors)")
    }

    @Test func namesDoNotControlTheTerminal() async throws {
        let name = "a\u{1b}[31mb\u{7}\nc"
        let shown = "a\\x1b[31mb\\x07\\nc"
        try await TestClip(color: "bt2100-hlg", frames: 5).make("clip.mkv", in: folder)
        try FileManager.default.moveItem(atPath: folder.path("clip.mkv"), toPath: folder.path("\(name).mkv"))
        for (output, words) in Self.lines("\(name).mkv", "\(name)-out") {
            let said = try await run(words)
            #expect(said.status == 0, "\(said.errors)")
            // The output of hdr inspect for a file follows.
            let line = said.output.prefix { $0 != "\n" }
            #expect(line.hasPrefix("Wrote \(output.replacingOccurrences(of: name, with: shown)): "), "\(line)")
            let exists = try await run(words)
            #expect(exists.errorLines.count == 1 && exists.errors.contains(shown), "\(exists.errors)")
            let missing = try await run(Self.lines("\(name).none", "x").first { $0.words[0] == words[0] }?.words ?? [])
            #expect(missing.errorLines.count == 1 && missing.errors.contains("\(shown).none"), "\(missing.errors)")
            for text in [String(line), exists.errors, missing.errors] {
                #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" }, "\(text)")
            }
        }
        let played = try await run(["play", "--presenter", "offscreen", "--duration", "0.1", "\(name).mkv"])
        #expect(played.output.hasPrefix("\(shown).mkv: up to"), "\(played.output)")
    }
}
