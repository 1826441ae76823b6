import Synchronization
import TestSupport
import Testing

@testable import HDRPipeline

/// Pipelines that are built element by element, and what passes their pads.
@Suite(.timeLimit(.minutes(2))) struct BuildingTests {
    /// The observations at a pad.
    private struct Seen {
        var times: [UInt64] = []
        var hasEnded = false
    }

    @Test func elementsAreAddedLinkedAndWatched() async throws {
        let pipeline = Pipeline()
        let source = try Element(make: "videotestsrc", ["num-buffers": 5])
        let format = "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
        let sink = try Element(make: "fakesink", ["sync": false])
        try pipeline.add(source, try Element(make: "capsfilter", ["caps": format]), sink)
        #expect(source.factory == "videotestsrc" && pipeline.root.factory == "pipeline")
        let pad = try sink.pad("sink")
        #expect(pad.format == nil && pad.name == "sink")
        let box = SeenBox()
        pad.watch { pad, buffer in
            box.seen.withLock { $0.times.append(pad.runningTime(of: buffer) ?? 0) }
            #expect(pad.streamTime(of: buffer) == buffer.time && buffer.duration == 40_000_000)
            return .pass
        }
        pad.whenEnded { box.seen.withLock { $0.hasEnded = true } }
        try await pipeline.run()
        let found = box.seen.withLock { $0 }
        #expect(found.times == (0..<5).map { UInt64($0) * 40_000_000 } && found.hasEnded)
    }

    private final class SeenBox: Sendable {
        let seen = Mutex(Seen())
    }

    @Test func padsOnRequestAreLinkedAndDropped() async throws {
        let pipeline = Pipeline()
        let source = try Element(make: "videotestsrc", ["num-buffers": 3])
        let tee = try Element(make: "tee")
        try pipeline.add(source, tee)
        let box = SeenBox()
        for isDropped in [false, true] {
            let (queue, sink) = (try Element(make: "queue"), try Element(make: "fakesink", ["async": false]))
            try pipeline.add(queue, sink)
            let entry = try queue.pad("sink")
            try tee.request("src_%u").link(to: entry)
            if isDropped { entry.watch { _, _ in .drop } }
            try sink.pad("sink").watch { _, buffer in
                box.seen.withLock { $0.times.append(buffer.time ?? 0) }
                return .pass
            }
        }
        try await pipeline.run()
        #expect(box.seen.withLock { $0.times.count } == 3, "one branch drops them")
    }

    @Test func whatCannotBeBuiltIsSaid() throws {
        func said(_ body: () throws(PipelineError) -> Void) -> String {
            do throws(PipelineError) {
                try body()
                return "no error"
            } catch { return "\(error)" }
        }
        #expect(said { () throws(PipelineError) in _ = try Element(make: "nosuchelement") }.contains("is missing"))
        let (sound, picture) = (try Element(make: "audioconvert"), try Element(make: "videoconvert"))
        let pipeline = Pipeline()
        #expect(said { () throws(PipelineError) in try pipeline.add(sound, picture) }.contains("cannot be linked"))
        #expect(said { () throws(PipelineError) in try pipeline.add(sound) }.contains("in a pipeline already"))
        #expect(said { () throws(PipelineError) in _ = try sound.pad("video") }.contains("no pad video"))
        #expect(said { () throws(PipelineError) in _ = try sound.request("sink_%u") }.contains("not to be had"))
        let pads = (try sound.pad("src"), try picture.pad("sink"))
        #expect(said { () throws(PipelineError) in try pads.0.link(to: pads.1) }.contains("cannot be linked"))
        #expect(pads.1.accepts("video/x-raw,format=NV12") && !pads.1.accepts("audio/x-raw"))
    }

    @Test func choicesAndRangesOfProperties() throws {
        let element = try Element(make: "videotestsrc")
        #expect(element.choices(of: "pattern").starts(with: ["smpte", "snow"]) && element.choices(of: "width").isEmpty)
        #expect(element.range(of: "num-buffers") == "-1 to 2147483647" && element.range(of: "pattern") == nil)
    }

    // MARK: - Buffers and samples

    @Test func partsOfBuffersAtOtherTimes() throws {
        let buffer = try Buffer(count: 8, time: 5) { $0.copyBytes(from: Array(0..<8)) }
        let part = try buffer.retimed(2..<5, time: 100, duration: 7)
        #expect(part.time == 100 && part.duration == 7 && part.count == 3)
        #expect(part.withBytes { Array($0) } == [2, 3, 4])
        let whole = try buffer.retimed(time: nil, duration: nil)
        #expect(whole.time == nil && whole.duration == nil && whole.count == 8 && buffer.time == 5)
        #expect(try buffer.retimed(6..<100, time: 0, duration: nil).count == 2, "as far as there are bytes")
        let other = try part.replaced(by: [9, 8])
        #expect(other.time == 100 && other.duration == 7 && other.withBytes { Array($0) } == [9, 8])
        #expect(try part.replaced(by: []).count == 0 && part.count == 3)
        let sample = try Sample(buffer, format: "audio/x-raw,rate=8")
        #expect(sample.format?["rate"] == 8 && sample.buffer == buffer && sample.runningTime == 5)
        #expect(throws: PipelineError.self) { _ = try Sample(buffer, format: "no ! format") }
    }

    // MARK: - Names of files

    @Test func namesAreBytes() throws {
        let name = FileName("folder.d/My Clip.MOV")
        #expect(
            name.ending == ".mov" && name.stem == FileName("folder.d/My Clip") && name.folder == FileName("folder.d"))
        #expect(
            name.last == FileName("My Clip.MOV") && (name.stem + "-sdr.mp4").description == "folder.d/My Clip-sdr.mp4")
        for (text, ending, folder) in [
            ("clip", "", "."), (".hidden", "", "."), ("/a.b/c", "", "/a.b"), ("/x.y", ".y", "/"),
        ] {
            #expect(FileName(text).ending == ending && FileName(text).folder == FileName(folder), "\(text)")
        }
        #expect(FileName("a").appending(FileName("b")) == FileName("a/b"))
        #expect(FileName("a/").appending(FileName("b")) == FileName("a/b"))
        // GStreamer gets and gives the very bytes.
        let odd = FileName(bytes: [0x61, 0xFF, 0x0A, 0x22])
        let source = try Element(make: "filesrc", ["location": odd])
        #expect(try source.get("location", as: FileName.self) == odd)
        #expect(odd.withPointer { FileName($0) } == odd)
    }
}
