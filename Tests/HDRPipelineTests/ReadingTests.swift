import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HDRPipeline

/// Files that are taken apart, and not played. One at a time, as type finders are the whole process's.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReadingTests {
    /// The buffers that a pad has delivered.
    private final class Taken: Sendable {
        struct State {
            var formats: [Structure] = []
            var languages: [String] = []
            var times: [UInt64?] = []
            var ends = 0
        }
        let state = Mutex(State())

        /// - Parameter limit: buffers after which no more are wanted.
        func take(_ pad: Pad, limit: Int = .max, then: @escaping @Sendable () -> Void) {
            pad.take { arrival in
                defer { then() }
                return self.state.withLock { state in
                    switch arrival {
                    case .format(let format): state.formats.append(format)
                    case .tags(let tags): state.languages += tags["language-code"].map { [$0] } ?? []
                    case .buffer(let buffer): state.times.append(buffer.time)
                    case .end: state.ends += 1
                    }
                    return state.times.count < limit
                }
            }
        }
    }

    /// Half a second of sound in Matroska, in English, as packets of 100 ms.
    private func makeFile(in folder: TemporaryFolder) async throws -> FileName {
        let path = folder.path("sound.mka")
        try await Pipeline(
            "audiotestsrc num-buffers=5 samplesperbuffer=800 ! audio/x-raw,format=S16LE,rate=8000,channels=1 ! "
                + "taginject tags=language-code=en ! matroskamux ! filesink location=\(Pipeline.quoted(path))"
        ).run()
        return FileName(path)
    }

    /// Reads a file by `parsebin` until the stream has ended, or the buffers that are wanted are there.
    private func read(_ file: FileName, limit: Int = .max) async throws -> (Taken, seen: [String], duration: UInt64?) {
        let pipeline = Pipeline()
        let parser = try Element(make: "parsebin")
        try pipeline.add(try Element(make: "filesrc", ["location": file]), parser)
        let taken = Taken()
        let seen = Mutex<[String]>([])
        let pads = Mutex<[Pad]>([])
        let connections = [
            try parser.on("pad-added") { [weak pipeline] arguments in
                guard let pad: Pad = arguments[0], let pipeline else { return }
                pads.withLock { $0.append(pad) }
                taken.take(pad, limit: limit) { [weak pipeline] in pipeline?.post("more") }
            },
            try parser.answer("autoplug-continue") { arguments in
                let format: Structure? = arguments[1]
                seen.withLock { $0.append(format?.name ?? "") }
                return format?.name != "audio/x-raw"
            },
        ]
        let messages = pipeline.messages
        try pipeline.begin(.paused)
        for await message in messages {
            if case .error(let error) = message.kind { throw error }
            guard case .application("more") = message.kind else { continue }
            #expect(message.source == pipeline.root.name)
            if taken.state.withLock({ $0.ends > 0 || $0.times.count >= limit }) { break }
        }
        #expect(connections.count == 2)
        return (taken, seen.withLock { $0 }, pads.withLock { $0.first?.duration })
    }

    @Test func padsAreTakenFromWithoutASink() async throws {
        let folder = try TemporaryFolder()
        let file = try await makeFile(in: folder)
        let (taken, seen, duration) = try await read(file)
        #expect(seen == ["audio/x-matroska", "audio/x-raw"] || seen == ["video/x-matroska", "audio/x-raw"], "\(seen)")
        let state = taken.state.withLock { $0 }
        #expect(state.formats.allSatisfy { $0["rate"] == 8000 && $0["channels"] == 1 } && !state.formats.isEmpty)
        #expect(state.formats.count <= 2, "told of at once, and again with the first data: \(state.formats)")
        #expect(state.languages.last == "en" && state.ends == 1)
        #expect(state.times == (0..<5).map { UInt64($0) * 100_000_000 })
        #expect(duration == 500_000_000)
    }

    @Test func buffersAreRefused() async throws {
        let folder = try TemporaryFolder()
        let (taken, _, _) = try await read(try await makeFile(in: folder), limit: 2)
        let state = taken.state.withLock { $0 }
        #expect(state.times == [0, 100_000_000])
    }

    /// An answer stops the plugging of elements before it has begun.
    @Test func signalsAreAnswered() async throws {
        let folder = try TemporaryFolder()
        let pipeline = Pipeline()
        let parser = try Element(make: "parsebin")
        try pipeline.add(try Element(make: "filesrc", ["location": try await makeFile(in: folder)]), parser)
        let names = Mutex<[String]>([])
        let connections = [
            try parser.answer("autoplug-continue") { _ in false },
            try parser.on("pad-added") { [weak pipeline] arguments in
                names.withLock { $0.append(arguments[0, as: Pad.self]?.format?.name ?? "") }
                pipeline?.post("pad")
            },
        ]
        let messages = pipeline.messages
        try pipeline.begin(.paused)
        for await message in messages { if case .application("pad") = message.kind { break } }
        #expect(connections.count == 2 && names.withLock { $0.allSatisfy { $0.hasSuffix("x-matroska") } })
        #expect(throws: PipelineError.self) { _ = try parser.answer("no-such-signal") { _ in true } }
    }

    @Test func typeFindersAreHiddenAndShownAgain() async throws {
        let folder = try TemporaryFolder()
        let file = try await makeFile(in: folder)
        func name() async throws -> String? {
            let pipeline = Pipeline()
            let finder = try Element(make: "typefind")
            try pipeline.add(try Element(make: "filesrc", ["location": file]), finder)
            try pipeline.add(try Element(make: "fakesink"))
            let found = Mutex<String?>(nil)
            let connection = try finder.on("have-type") { arguments in
                found.withLock { $0 = arguments[1, as: Structure.self]?.name }
            }
            let messages = pipeline.messages
            try pipeline.begin(.paused)
            for await message in messages {
                if case .error = message.kind { break }
                if found.withLock({ $0 != nil }) { break }
            }
            withExtendedLifetime(connection) {}
            return found.withLock { $0 }
        }
        // The names of files are types too where nothing else is known.
        #expect(try await name()?.hasSuffix("x-matroska") == true)
        var hidden: HiddenTypeFinders? = HiddenTypeFinders(ofPlugin: "typefindfunctions")
        #expect(try await name()?.hasSuffix("x-matroska") != true)
        #expect(hidden != nil)
        hidden = nil
        #expect(try await name()?.hasSuffix("x-matroska") == true)
        #expect(HiddenTypeFinders(ofPlugin: "no such plugin") !== hidden)
    }

    @Test func formatsHaveNames() throws {
        try GStreamer.start()
        #expect(try Structure("audio/mpeg,mpegversion=4").mediaName?.hasPrefix("MPEG-4 AAC") == true)
        #expect(try Structure("video/x-matroska").mediaName == "Matroska" && Structure("video/x-matroska").isContainer)
        #expect(try !Structure("video/x-h265").isContainer)
        #expect(try Structure("video/x-h265,width=[1,2]").mediaName == nil, "it leaves the width open")
    }
}
