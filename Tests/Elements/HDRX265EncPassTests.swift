import Foundation
import PluginSupport
import TestSupport
import Testing

/// Later passes of `hdrx265enc` over pictures or statistics that do not agree with the first one's, with which libx265
/// crashes or says nothing.
@Suite struct HDRX265EncPassTests {
    let folder: TemporaryFolder
    let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path("pass.log")
    }

    private func encode(
        pass: Int, frames: Int = 30, format: String = "I420_10LE", size: (Int, Int) = (128, 96), rate: Int = 30,
        _ properties: String = ""
    ) throws -> Command.Result {
        let line = """
            videotestsrc num-buffers=\(frames) ! \
            video/x-raw,format=\(format),width=\(size.0),height=\(size.1),framerate=\(rate)/1 ! \
            hdrx265enc pass=\(pass) multipass-cache-file=\(file) bitrate=300 speed-preset=fast \(properties) ! \
            filesink location=\(folder.path("out.h265"))
            """
        return try GstTool.launch(line)
    }

    private func expectError(_ outcome: Command.Result, _ texts: [String]) {
        #expect(outcome.status == 1, "\(outcome)")
        for text in texts { #expect(outcome.errors.contains(text), "\(text) in \(outcome.errors)") }
    }

    /// Without `cutree` libx265 would continue with a constant quantizer; with it, it would read beyond its memory.
    @Test(arguments: ["", "option-string=no-cutree", "option-string=bframes=0", "option-string=multi-pass-opt-rps=1"])
    func morePicturesThanBeforeAreAnError(_ options: String) throws {
        for (pass, frames) in [(2, 1), (2, 30), (3, 30), (2, 31), (2, 100), (3, 31)] {
            expectClean(try encode(pass: 1, options))
            let outcome = try encode(pass: pass, frames: frames, options)
            guard frames > 30 else {
                expectClean(outcome)
                continue
            }
            expectError(outcome, ["\(file) has statistics of 30 pictures, and one more comes", "pass=1"])
        }
    }

    @Test func otherPicturesThanBeforeAreAnError() throws {
        expectClean(try encode(pass: 1))
        expectError(
            try encode(pass: 2, size: (160, 96)),
            ["\(file) was made from pictures of the size 128x96, and these have 160x96", "pass=1"])
        expectError(try encode(pass: 2, rate: 25), ["at the rate 30/1, and these have 25/1"])
        expectError(try encode(pass: 2, format: "I420"), ["with a bit depth of 10, and these have 8"])
        // Errors in other settings are found by libx265 alone.
        expectError(
            try encode(pass: 2, "option-string=bframes=1"),
            ["libx265 refuses the settings", "have to be those of the pass that has left \(file)"])
        expectClean(try encode(pass: 2))
    }

    @Test func damagedFilesAreAnError() throws {
        expectClean(try encode(pass: 1))
        let text = try folder.data("pass.log")
        let whole = try #require(String(data: text, encoding: .utf8))
        let damages: [(String, String)] = [
            ("", "does not begin with the options"), ("nonsense", "does not begin with the options"),
            (String(whole.prefix(200)), "does not begin with the options"),
            (String(whole.dropLast(60)), "it is damaged: it ends within picture 30"),
            (whole.replacing(" out:7 ", with: " out:700000 "), "it is damaged at picture 8 of 30"),
            (whole.replacing("in:3 ", with: "in:2 "), "it is damaged at picture"),
        ]
        for (damaged, what) in damages {
            try Data(damaged.utf8).write(to: folder.url("pass.log"))
            expectError(try encode(pass: 2), ["multipass-cache-file: \(file) cannot be used: it", what, "pass=1"])
        }
        try text.write(to: folder.url("pass.log"))
        let tree = try folder.data("pass.log.cutree")
        for damaged in [Data(), tree.dropLast(50), tree + tree, Data(repeating: 7, count: tree.count)] {
            try damaged.write(to: folder.url("pass.log.cutree"))
            expectError(try encode(pass: 2), ["\(file).cutree is damaged, or does not belong to \(file)", "pass=1"])
        }
        try FileManager.default.removeItem(at: folder.url("pass.log.cutree"))
        expectError(try encode(pass: 2), ["have to be those of the pass that has left \(file)"])
        try tree.write(to: folder.url("pass.log.cutree"))
        expectClean(try encode(pass: 2))
    }

    /// The statistics of `cutree` have a size that follows from settings, so that no setting makes it look damaged.
    @Test(arguments: [
        ("", (130, 66)), ("option-string=min-cu-size=16", (130, 66)), ("option-string=min-cu-size=32", (200, 136)),
        ("option-string=qg-size=8:ctu=16", (144, 96)), ("option-string=qg-size=16", (128, 72)),
        ("option-string=no-cutree:rc-lookahead=0:bframes=0", (128, 96)), ("tune=grain", (320, 180)), ("", (64, 48)),
    ])
    func passesWithAnySettingsAreTaken(_ options: String, _ size: (Int, Int)) throws {
        for pass in 1...2 {
            let outcome = try encode(pass: pass, size: size, options)
            #expect(outcome.status == 0 && !outcome.errors.contains("cutree is damaged"), "pass \(pass): \(outcome)")
        }
    }
}
