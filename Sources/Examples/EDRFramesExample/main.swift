// A video by frames, in extended dynamic range: an application copies each frame, as linear light, by the time at which
// the display will show it, applies a filter of its own, and shows the result.
//
//     EDRFramesExample FILE-or-URI            on the screen; where there is no display, in memory
//     EDRFramesExample FILE-or-URI OUT.mov    into a file, every frame, as long as that takes
//
// There are two pipelines: one plays the video without showing it and has an output of frames, the other one is the
// screen.
import ExampleSupport
import Glibc
import HDRPipeline
import HDRTap

// MARK: The application's own

/// Makes light above SDR white (1.0) glow in orange: a pixel keeps its own colour up to the level of white, and the
/// light above that becomes the glow. No pixel gets brighter than it was, so that the display's headroom suffices.
func glow(_ light: UnsafeMutableBufferPointer<Float16>) {
    for red in stride(from: 0, to: light.count - 3, by: 4) {
        let brightest = max(light[red], light[red + 1], light[red + 2])
        guard brightest > 1 else { continue }
        let excess = brightest - 1
        light[red] = light[red] / brightest + excess
        light[red + 1] = light[red + 1] / brightest + 0.4 * excess
        light[red + 2] = light[red + 2] / brightest + 0.05 * excess
    }
}

/// Converts light to the form that the screen takes. GStreamer 1.22 has no format of half floats, so that edrsink, like
/// any other element, takes codes. PQ codes (SMPTE ST 2084) of sixteen bits are finer than the steps of half floats
/// that anyone could see. Light below 0, outside of Display P3, has no code and becomes 0.
enum PQ {
    /// The PQ code of every half float.
    static let codes: [UInt16] = (0...UInt16.max).map { half in
        let light = Double(Float16(bitPattern: half))
        guard light > 0 else { return 0 }
        // 1.0 is 203 cd/m2 (BT.2408), and PQ ends at 10000.
        let power = pow(min(light * 203 / 10000, 1), 2610.0 / 16384)
        let signal = pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
        return UInt16((65535 * signal).rounded())
    }
}

/// Replaces half floats by codes, in place.
func encode(_ words: UnsafeMutableBufferPointer<UInt16>) {
    PQ.codes.withUnsafeBufferPointer { codes in
        for red in stride(from: 0, to: words.count - 3, by: 4) {
            for component in red..<red + 3 { words[component] = codes[Int(words[component])] }
            // Every pixel is opaque on the screen.
            words[red + 3] = .max
        }
    }
}

/// The source of frames, and the screen that shows them.
///
/// The display link calls `refresh` on a thread of its own, one call at a time. The task that runs this shows the first
/// frame before the link is on, and reads the counts after the screen has stopped, which ends that thread.
final class FilteredPlayer: @unchecked Sendable {
    let output: VideoOutput
    private(set) var count = 0
    private let player: Pipeline
    private let screen: Pipeline
    private let source: Element
    private let link: Element
    /// Whether the video is stepped through frame by frame, so that a slow machine omits no frame of a recording.
    private let steps: Bool

    /// Opens the video, and the screen for it.
    init(_ input: String, recording: String?) async throws {
        // The queue lets frames pass the tap before their time, because a frame is requested before it is seen.
        // fakesink keeps the video's time.
        player = try Pipeline(
            Program.pictures(of: input)
                + " ! hdrtap name=tap ! queue max-size-buffers=8 max-size-bytes=0 max-size-time=0 ! "
                + "fakesink name=end sync=true"
        )
        let tap = try player["tap"]
        output = try VideoOutput(
            of: tap.pointer, VideoOutput.Settings(format: "rgba16f", primaries: "display-p3", transfer: "linear"))
        do { try await player.set(.paused) } catch let error as PipelineError {
            guard error.details?.contains("not-linked") == true else { throw error }
            throw PipelineError("there is no video in \(input) that could be decoded")
        }
        // Frames come as they are stored in the file. Their orientation is passed on with them.
        let turn = try tap.pad("src").tag("image-orientation") ?? "rotate-0"
        let hasDisplay = getenv("WAYLAND_DISPLAY") != nil || getenv("DISPLAY") != nil
        let presenter = hasDisplay && recording == nil ? "auto" : "offscreen"
        // A frame is made for the next refresh, and is therefore shown as soon as it arrives.
        var line =
            "appsrc name=source format=time block=true ! taginject tags=image-orientation=\(turn) ! tee name=t ! "
        line += "queue ! edrsink name=screen presenter=\(presenter) sync=false"
        if let recording {
            line += " t. ! queue ! hdrconvert ! video/x-raw,format=I420_10LE,colorimetry=bt2100-pq ! m.video_0 "
            line += "hdrmux-settings name=m preset=hevc-highest-quality content-light-level-info=auto ! "
            line += "filesink async=false location=\(Pipeline.quoted(recording))"
        }
        screen = try Pipeline(line)
        source = try screen["source"]
        link = try screen["screen"]
        steps = recording != nil
    }

    /// Plays to the end, or to an error of either pipeline.
    func run() async throws {
        try screen.begin(.playing)
        if steps {
            try await record()
        } else {
            try await play()
        }
        // The screen stops first, since its link must not start the player again.
        try screen.begin(.null)
        try player.begin(.null)
    }

    /// Records each frame, for as long as that takes.
    private func record() async throws {
        let end = try player["end"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await self.screen.end() } catch {
                    // After an error nobody takes frames any more, so that the screen is stopped: otherwise pushing a
                    // frame would wait forever.
                    _ = try? self.screen.begin(.null)
                    throw error
                }
            }
            group.addTask {
                repeat {
                    guard let frame = try end.get("last-sample", as: Sample.self)?.buffer,
                        let time = try end.pad("sink").streamTime(of: frame)
                    else { break }
                    try self.show(at: time)
                    try Task.checkCancellation()
                } while try await self.player.step(end)
                try self.source.emit("end-of-stream", as: String.self)
            }
            try await group.waitForAll()
        }
    }

    /// Shows the frames that are due at the display's refreshes.
    private func play() async throws {
        // A window has refreshes only from its first picture on. A video need not begin at 0.
        for time in stride(from: UInt64(0), to: 1_000_000_000, by: 1_000_000) where count == 0 { try show(at: time) }
        let connection = try link.on("display-link") { [weak self] arguments in
            if let target: UInt64 = arguments[1] { self?.refresh(target) }
        }
        try link.set("display-link-paused", to: false)
        try player.begin(.playing)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.screen.end() }
            group.addTask {
                try await self.player.end()
                try self.link.set("display-link-paused", to: true)
                try self.source.emit("end-of-stream", as: String.self)
            }
            try await group.waitForAll()
        }
        withExtendedLifetime(connection) {}
    }

    /// Shows the frame that will be seen at `target`. An error is posted on the pipeline's bus.
    private func refresh(_ target: UInt64) {
        guard let time = output.itemTime(forHostTime: target), output.hasNewFrame(at: time) else { return }
        try? show(at: time)
    }

    private func show(at time: UInt64) throws {
        guard let frame = output.copyFrame(at: time), let width = frame.number("width"),
            let height = frame.number("height")
        else { return }
        // The frame itself belongs to the output, and must not be written to.
        let buffer = try Buffer(count: 8 * width * height, time: frame.displayTime) { bytes in
            frame.withBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count))) }
            glow(bytes.bindMemory(to: Float16.self))
            encode(bytes.bindMemory(to: UInt16.self))
        }
        // The caps mean full range, R'G'B', PQ and Display P3, in GStreamer's numbers; the frame rate and the pixel
        // aspect ratio are the video's, and may change in it. appsrc ignores caps that are the same as before.
        var caps = "video/x-raw,format=RGBA64_LE,width=\(width),height=\(height),colorimetry=1:1:14:11"
        let format = Sample(retaining: frame.sample).format
        for field in ["framerate", "pixel-aspect-ratio"] {
            if let ratio: String = format?[field] { caps += ",\(field)=\(ratio)" }
        }
        try source.set("caps", to: caps)
        try source.emit("push-buffer", buffer, as: String.self)
        count += 1
    }
}

await Program.run("FILE-or-URI [OUT.mov]", 1...2) { arguments in
    let player = try await FilteredPlayer(arguments[0], recording: arguments.count == 2 ? arguments[1] : nil)
    try await player.run()
    print("\(player.count) frames, and \(player.output.consumptionRecord.missed) missed")
}
