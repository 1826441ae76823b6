// A loupe over a video: one decoder, and two views of each of its frames, which cannot get out of step. The loupe is
// round, has a soft edge, and circles over the picture once in four seconds.
//
//     LoupeExample FILE OUT.mov OUT.png
//
// The screen is one in memory that shows PQ up to 10000 cd/m2, so that nothing is tone-mapped. Each of its frames is
// read and written to the file; the last one of the first second also becomes the still picture.
import ExampleSupport
import Glibc
import HDRPipeline

/// The views: the whole picture, and above it the part under the loupe, three times as large.
func views(at time: Double, width: Double, height: Double) -> String {
    // The loupe stays within the picture in any orientation: the screen has the size of the picture as it is shown.
    let (diameter, magnification) = (0.45 * min(width, height), 3.0)
    let angle = 2 * .pi * time / 4
    let center = (x: (0.5 + 0.22 * cos(angle)) * width, y: (0.5 + 0.2 * sin(angle)) * height)
    /// A square around the center, as fractions of the picture.
    func square(_ side: Double, _ prefix: String) -> String {
        let (x, y) = ((center.x - side / 2) / width, (center.y - side / 2) / height)
        return "\(prefix)x=\(x),\(prefix)y=\(y),\(prefix)width=\(side / width),\(prefix)height=\(side / height)"
    }
    let places = square(diameter / magnification, "source-") + "," + square(diameter, "")
    return "<(GstStructure)\"view;\",(GstStructure)\"view,mask=ellipse,feather=0.15,\(places);\">"
}

/// Writes frames to a file.
final class Writer {
    private let pipeline: Pipeline
    private let source: Element
    private var end: Task<Void, any Error>?

    init(_ line: String) throws {
        pipeline = try Pipeline("appsrc name=source format=time block=true ! \(line)")
        source = try pipeline["source"]
    }

    /// - Parameter format: the format of the video that the screen shows, whose frame rate the file gets.
    func write(_ frame: Sample, like format: Structure) throws {
        guard let shown = frame.format, let buffer = frame.buffer else { return }
        if end == nil {
            var caps = "video/x-raw"
            for name in ["format", "width", "height", "colorimetry"] { caps += ",\(name)=\(shown[name] ?? "")" }
            for name in ["framerate", "pixel-aspect-ratio"] { caps += ",\(name)=\(format[name] ?? "1/1")" }
            try source.set("caps", to: caps)
            let pipeline = pipeline
            end = Task {
                // After an error nobody takes frames any more, so that the pipeline is stopped: otherwise pushing a
                // frame would wait.
                defer { _ = try? pipeline.begin(.null) }
                try await pipeline.end()
            }
            try pipeline.begin(.playing)
        }
        try source.emit("push-buffer", buffer, as: String.self)
    }

    func finish() async throws {
        try source.emit("end-of-stream")
        try await end?.value
    }
}

/// The picture that the screen shows for the sink's current frame, which may take a moment to appear.
func picture(on sink: Element) async throws -> Sample {
    let frame = try sink.get("last-sample", as: Sample.self)?.buffer
    for _ in 0..<5000 {
        if let shown = try sink.emit("read-frame", as: Sample.self), shown.buffer?.time == frame?.time { return shown }
        try await Task.sleep(for: .milliseconds(2))
    }
    throw PipelineError("the screen does not show the frame", element: "sink")
}

/// Writes a video and a still picture of what a screen shows.
func run(_ input: String, _ movie: String, _ still: String) async throws -> Int {
    let screen = try Pipeline(
        Program.pictures(of: input) + " ! edrsink name=sink presenter=offscreen "
            + "pixel-format=rgb10a2 color-space=bt2100-pq force-headroom=49.26")
    let sink = try screen["sink"]
    try await screen.set(.paused)
    // The format is that of the picture as it is shown: one from a phone may have been rotated.
    guard let format = sink.format(ofPad: "sink"), let shown = try await picture(on: sink).format,
        let width: Int = shown["width"], let height: Int = shown["height"]
    else { throw PipelineError("\(input) has no video") }
    let video = try Writer(
        "hdrconvert ! video/x-raw,format=I420_10LE,colorimetry=bt2100-pq ! m.video_0 "
            + "hdrmux-settings name=m preset=hevc-highest-quality ! filesink location=\(Pipeline.quoted(movie))")
    let snapshot = try Writer("hdrconvert ! pngenc ! filesink location=\(Pipeline.quoted(still))")
    var (count, first) = (0, UInt64(0))
    var chosen: Sample?
    repeat {
        guard let now = screen.position else { throw PipelineError("the screen shows nothing", element: "sink") }
        if count == 0 { first = now }
        let time = Double(now - min(now, first)) / 1e9
        try sink.set("views", to: views(at: time, width: Double(width), height: Double(height)))
        let frame = try await picture(on: sink)
        try video.write(frame, like: format)
        if chosen == nil || time <= 1 { chosen = frame }
        count += 1
    } while try await screen.step(sink)
    try await video.finish()
    if let chosen { try snapshot.write(chosen, like: format) }
    try await snapshot.finish()
    return count
}

await Program.run("FILE OUT.mov OUT.png", 3...3) { arguments in
    print("\(try await run(arguments[0], arguments[1], arguments[2])) frames")
}
