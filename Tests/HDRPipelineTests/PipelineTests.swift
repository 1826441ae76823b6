import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HDRPipeline

/// Pipelines of GStreamer's own elements.
@Suite(.timeLimit(.minutes(2))) struct PipelineTests {
    /// The description of the error that `body` throws.
    private func failure(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "no error"
        } catch { return "\(error)" }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: Repository.path(path), encoding: .utf8)
    }

    @Test func aLaunchLineThatCannotBe() async {
        #expect(await failure { _ = try Pipeline("videotestsrc ! nosuchelement") }.contains("nosuchelement"))
        #expect(await failure { _ = try Pipeline("fakesink") }.contains("link it to another one"))
        #expect(
            await failure { _ = try Pipeline("videotestsrc ! fakesink")["sink"] }.contains("name it by name=sink"))
    }

    @Test func itRunsToTheEnd() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=10 ! fakesink name=sink")
        try await pipeline.run()
        // The end is told to who comes late, and a second run is possible.
        try await pipeline.run()
    }

    @Test func anErrorIsThrown() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=9 ! identity name=breaks error-after=3 ! fakesink")
        let said = await failure { try await pipeline.run() }
        #expect(said.hasPrefix("breaks: "), "\(said)")
        let nowhere = try Pipeline("filesrc location=/nowhere/at-all ! fakesink")
        let missing = await failure { try await nowhere.run() }
        #expect(missing.contains("/nowhere/at-all"), "\(missing)")
        // It can be tried again, with the same answer.
        #expect(await failure { try await nowhere.set(.paused) }.contains("/nowhere/at-all"))
    }

    /// Whoever waits for what cannot come any more is told so.
    @Test(arguments: [Pipeline.State.null, .ready]) func anotherTaskStops(state: Pipeline.State) async throws {
        let pipeline = try Pipeline("videotestsrc ! fakesink sync=true")
        let run = Task { try await pipeline.run() }
        for await message in pipeline.messages { if case .stateChanged(_, .playing) = message.kind { break } }
        try pipeline.begin(state)
        await #expect(throws: CancellationError.self) { try await run.value }
        // A pause that gets no frame.
        let starved = try Pipeline("appsrc ! fakesink")
        let messages = starved.messages
        let pause = Task { try await starved.set(.paused) }
        for await message in messages {
            if case .stateChanged(_, .ready) = message.kind, message.source == starved.root.name { break }
        }
        try starved.begin(state)
        await #expect(throws: CancellationError.self) { try await pause.value }
    }

    @Test func propertiesHaveTypes() throws {
        let pipeline = try Pipeline("videotestsrc name=source ! identity name=id ! fakesink name=sink")
        let (source, identity) = (try pipeline["source"], try pipeline["id"])
        #expect(source.name == "source" && source.properties.contains("pattern"))
        try source.set("num-buffers", to: 7)
        #expect(try source.get("num-buffers") == 7)
        try source.set("pattern", to: "snow")
        #expect(try source.get("pattern", as: String.self) == "snow")
        #expect(try source.get("pattern", as: Int.self) == 1)
        try source.set("is-live", to: true)
        #expect(try source.get("is-live") == true)
        try identity.set("drop-probability", to: 0.25)
        #expect(try identity.get("drop-probability") == 0.25)
        #expect(try identity.get("drop-probability", as: Structure.self) == nil)
        try identity.set("sleep-time", to: UInt64(5))
        #expect(try identity.get("sleep-time", as: UInt64.self) == 5)
        #expect(try identity.get("last-message", as: String.self) == nil)
    }

    @Test func propertiesThatCannotBe() async throws {
        let pipeline = try Pipeline("videotestsrc name=source ! identity name=id ! fakesink")
        let (source, identity) = (try pipeline["source"], try pipeline["id"])
        for (text, body) in [
            ("did you mean num-buffers?", { try source.set("num-bufers", to: 1) }),
            ("takes no quick: it is a ", { try source.set("pattern", to: "quick") }),
            ("takes no 1.5: 1 would do", { try identity.set("drop-probability", to: 1.5) }),
            ("takes no -5: ", { try identity.set("sleep-time", to: -5) }),
            ("cannot be set", { try identity.set("last-message", to: "text") }),
            ("takes no no number", { try source.set("num-buffers", to: "no number") }),
        ] as [(String, () throws -> Void)] {
            let said = await failure { try body() }
            #expect(said.contains(text), "\(said)")
        }
    }

    @Test func messagesAreASequence() async throws {
        let pipeline = try Pipeline("audiotestsrc num-buffers=20 ! level name=level interval=100000000 ! fakesink")
        let messages = pipeline.messages
        try await pipeline.set(.playing)
        var levels = 0
        var wasPlaying = false
        loop: for await message in messages {
            switch message.kind {
            case .element(let structure) where message.source == "level":
                #expect(structure.name == "level" && structure.fields.contains("rms"))
                #expect(structure["endtime", as: UInt64.self] ?? 0 > 0)
                levels += 1
            case .stateChanged(_, .playing): wasPlaying = true
            case .endOfStream: break loop
            case .error(let error): throw error
            default: break
            }
        }
        #expect(levels >= 4 && wasPlaying)
    }

    @Test func buffersGoInAndSamplesComeOut() async throws {
        let pipeline = try Pipeline(
            "appsrc name=in format=time caps=video/x-raw,format=GRAY8,width=4,height=2,framerate=25/1 ! "
                + "appsink name=out sync=false")
        let (source, sink) = (try pipeline["in"], try pipeline["out"])
        #expect(try !pipeline.begin(.playing))
        for number in UInt8(0)..<3 {
            let buffer = try Buffer(count: 8, time: UInt64(number) * 40_000_000) { bytes in
                for index in bytes.indices { bytes[index] = number * 16 + UInt8(index) }
            }
            #expect(try source.emit("push-buffer", buffer, as: String.self) == "ok")
        }
        for number in UInt8(0)..<3 {
            let sample = try #require(try sink.emit("pull-sample", as: Sample.self))
            #expect(sample.format?["width"] == 4 && sample.format?["framerate"] == Fraction(25, 1))
            let buffer = try #require(sample.buffer)
            #expect(buffer.time == UInt64(number) * 40_000_000)
            #expect(buffer.withBytes { Array($0) } == (UInt8(0)..<8).map { number * 16 + $0 })
        }
        try source.emit("end-of-stream")
        try await pipeline.end()
        let said = await failure { try source.emit("push-bufer") }
        #expect(said.contains("no signal push-bufer"))
        #expect(await failure { try source.emit("push-buffer") }.contains("takes 1 arguments"))
        #expect(await failure { try source.emit("push-buffer", "text") }.contains("takes no text"))
        #expect(await failure { try source.emit("need-data", 1) }.contains("not for applications"))
    }

    @Test func signalsAreHeardUntilTheConnectionIsGone() async throws {
        let pipeline = try Pipeline("videotestsrc num-buffers=5 ! fakesink name=sink signal-handoffs=true")
        let sizes = Mutex<[Int]>([])
        var connection: SignalConnection? = try pipeline["sink"].on("handoff") { arguments in
            let size = arguments[0, as: Buffer.self]?.withBytes { $0.count } ?? -1
            sizes.withLock { $0.append(size) }
        }
        try await pipeline.run()
        let heard = sizes.withLock { $0 }
        #expect(heard.count == 5 && heard.allSatisfy { $0 > 1000 })
        #expect(connection != nil)
        connection = nil
        try await pipeline.run()
        #expect(sizes.withLock { $0.count } == 5)
    }

    @Test func aPauseIsSteppedAndSought() async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=10 ! video/x-raw,framerate=25/1,width=16,height=16 ! "
                + "fakesink name=sink sync=true"
        )
        let sink = try pipeline["sink"]
        try await pipeline.set(.paused)
        func shown() throws -> UInt64? { try sink.get("last-sample", as: Sample.self)?.buffer?.time }
        #expect(try shown() == 0)
        for frame in UInt64(1)...5 {
            #expect(try await pipeline.step(sink))
            #expect(try shown() == frame * 40_000_000)
        }
        try await pipeline.seek(to: 3_920_000_000)
        #expect(try shown() == 3_920_000_000)
        // The source counts what it has made before, too.
        var times: [UInt64?] = []
        while try await pipeline.step(sink) { times.append(try shown()) }
        #expect((1...4).contains(times.count))
        #expect(times == (1...UInt64(times.count)).map { 3_920_000_000 + $0 * 40_000_000 })
        #expect(sink.format(ofPad: "sink")?["width"] == 16)
        try await pipeline.set(.null)
    }

    @Test func structuresAreText() throws {
        let view = try Structure("view,x=0.5,mask=ellipse,count=3,sizes=<1,2>")
        #expect(view.name == "view" && view.fields.sorted() == ["count", "mask", "sizes", "x"])
        #expect(view["x"] == 0.5 && view["mask"] == "ellipse" && view["count"] == 3 && view["sizes"] == [1, 2])
        #expect(view["y", as: Double.self] == nil && view["mask", as: Double.self] == nil)
        #expect(try Structure("\(view)").description == view.description)
        #expect(throws: PipelineError.self) { try Structure("") }
    }

    /// A name with anything in it is one value.
    @Test(arguments: ["a b", "a\"b", "a\\b", "it's", "!", "a;b", "a\nb", ""])
    func quotedNames(_ name: String) throws {
        let pipeline = try Pipeline("filesrc name=source location=\(Pipeline.quoted(name)) ! fakesink")
        let location = try pipeline["source"].get("location", as: String.self)
        #expect(location ?? "" == name)
    }

    /// The page's program, on elements of GStreamer's own, as this one runs without the plugin.
    @Test func thePagesProgramRuns() async throws {
        let line =
            "videotestsrc num-buffers=25 ! videobalance name=convert ! video/x-raw,format=I420 ! fakesink name=sink"
        let pipeline = try Pipeline(line)
        let convert = try pipeline["convert"]
        try convert.set("saturation", to: 0.5)
        let messages = pipeline.messages
        try pipeline.begin(.playing)
        loop: for await message in messages {
            switch message.kind {
            case .element(let structure): print(message.source, structure)
            case .warning(let warning): print(warning)
            case .error(let error): throw error
            case .endOfStream: break loop
            default: break
            }
        }
        try await pipeline.set(.null)

        let page = try Self.text("Sources/GstHDR/GstHDR.docc/swift-applications.md")
        let program = page.components(separatedBy: "```swift\n")[1].components(separatedBy: "```")[0]
        let here = try Self.text("Tests/HDRPipelineTests/PipelineTests.swift")
        let from = try #require(program.range(of: "let messages"))
        for line in program[from.lowerBound...].split(separator: "\n") {
            #expect(here.contains("        \(line)\n"), "\(line)")
        }
    }

    /// Pipelines come and go while they play and are listened to.
    @Test func manyComeAndGo() async throws {
        for _ in 0..<50 {
            let pipeline = try Pipeline("videotestsrc ! video/x-raw,width=16,height=16 ! fakesink")
            let messages = pipeline.messages
            let heard = Task {
                var count = 0
                for await _ in messages { count += 1 }
                return count
            }
            try await pipeline.set(.playing)
            _ = consume pipeline
            #expect(await heard.value > 0)
        }
    }

    // MARK: Children, automation and buffers on their way

    @Test func childrenHaveNames() async throws {
        let pipeline = try Pipeline("audiotestsrc num-buffers=1 ! fakesink name=sink")
        #expect(pipeline.root.children.map(\.factory) == ["fakesink", "audiotestsrc"])
        #expect(try pipeline.root.child("sink") == pipeline["sink"])
        #expect(await failure { _ = try pipeline.root.child("nobody") }.contains("there is no child nobody"))
        #expect(try pipeline["sink"].children.isEmpty)
        #expect(await failure { _ = try pipeline["sink"].child("pad") }.contains("there is no child pad"))
    }

    /// A property is where the line between two points has it, and at the last point's value behind that.
    @Test func propertiesMove() async throws {
        let pipeline = try Pipeline(
            "audiotestsrc wave=square freq=1 samplesperbuffer=100 num-buffers=10 name=source ! "
                + "audio/x-raw,format=F32LE,rate=1000,channels=1 ! volume name=volume ! fakesink name=sink")
        let volume = try pipeline["volume"]
        try volume.move("volume", through: [(0, 0), (500_000_000, 1)])
        let seen = Mutex<[Double]>([])
        try volume.pad("src").watch { _, _ in
            let now = (try? volume.get("volume", as: Double.self)).flatMap { $0 } ?? -1
            seen.withLock { $0.append(now) }
            return .pass
        }
        try await pipeline.run()
        let expected = (0..<10).map { min(Double($0) * 0.2, 1) }
        let found = seen.withLock { $0 }
        #expect(found.count == 10 && zip(found, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(found)")
        let source = try pipeline["source"]
        #expect(await failure { try source.move("num-buffers", through: []) }.contains("num-buffers cannot be moved"))
        #expect(await failure { try source.move("frq", through: []) }.contains("did you mean freq?"))
    }

    /// A buffer that a watcher substitutes is what the next watcher sees.
    @Test func buffersAreReplaced() async throws {
        let pipeline = try Pipeline(
            "audiotestsrc samplesperbuffer=100 num-buffers=10 name=source ! "
                + "audio/x-raw,format=S16LE,rate=1000,channels=1 ! identity name=id ! fakesink name=sink")
        let pad = try pipeline["source"].pad("src")
        #expect(pad.streamIdentifier == nil)
        let seen = Mutex<[Buffer]>([])
        pad.watch { _, buffer in
            guard let time = buffer.time, time >= 200_000_000 else { return .drop }
            guard let part = try? buffer.retimed(50..<100, time: time - 200_000_000, duration: 25_000_000) else {
                return .drop
            }
            return .replace(part)
        }
        try pipeline["sink"].pad("sink").watch { _, buffer in
            seen.withLock { $0.append(buffer) }
            return .pass
        }
        try await pipeline.run()
        let found = seen.withLock { $0 }
        #expect(found.map(\.time) == (0..<8).map { UInt64($0) * 100_000_000 })
        #expect(found.allSatisfy { $0.count == 50 && $0.duration == 25_000_000 })
    }
}
