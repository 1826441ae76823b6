// Several clips as tiles of one video (a texture atlas), which one decoder plays, so that the tiles cannot get out of
// step. The program writes the atlas, and then cuts each tile out of a frame that an output of hdrtap returns for a
// time.
//
//     TextureAtlasExample CLIP... ATLAS.mov TILES.png
//
// It prints the positions of the tiles, as WIDTHxHEIGHT+X+Y.
import ExampleSupport
import HDRPipeline
import HDRTap

/// Cuts tiles out of an atlas.
struct TileCutter {
    private let player: Pipeline
    private let output: VideoOutput

    init(_ file: String) throws {
        player = try Pipeline("\(Program.pictures(of: file)) ! hdrtap name=tap ! queue ! fakesink sync=true")
        // The format is that of PNG files. Highlights are tone-mapped; format=rgba16f would keep them.
        output = try VideoOutput(
            of: player["tap"].pointer, VideoOutput.Settings(format: "RGBA", primaries: "bt709", transfer: "srgb"))
    }

    /// The frame that is seen at a time. All tiles are in this one object, and so belong to one time, however long an
    /// application takes to draw them.
    func frame(at time: UInt64) async throws -> VideoOutput.Frame {
        try await player.set(.paused)
        try await player.seek(to: time)
        // Item times begin at 0 after a seek. A file rounds its times, so that the frame may be some ns late.
        guard let frame = output.copyFrame(at: 1_000_000) else {
            throw PipelineError("the atlas has no picture at \(Double(time) / 1e9) s")
        }
        return frame
    }

    /// Passes a tile's rows, each of 4 bytes per pixel, in the frame's own memory: nothing is copied.
    static func withRows(
        of tile: Rectangle, in frame: VideoOutput.Frame, _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) {
        guard let width = frame.number("width") else { return }
        frame.withBytes { bytes in
            for row in 0..<tile.height {
                let start = 4 * ((tile.y + row) * width + tile.x)
                body(row, UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4 * tile.width]))
            }
        }
    }
}

/// Writes a picture of the tiles alone, each at its position in the atlas. Everything around them is transparent.
func writePicture(_ file: String, of frame: VideoOutput.Frame, _ atlas: Atlas) async throws {
    guard frame.number("width") == atlas.width, frame.number("height") == atlas.height else {
        throw PipelineError("the atlas comes back in another size than \(atlas.width)x\(atlas.height)")
    }
    let buffer = try Buffer(count: 4 * atlas.width * atlas.height, time: 0) { picture in
        picture.initializeMemory(as: UInt8.self, repeating: 0)
        for tile in atlas.tiles {
            TileCutter.withRows(of: tile, in: frame) { row, pixels in
                let start = 4 * ((tile.y + row) * atlas.width + tile.x)
                UnsafeMutableRawBufferPointer(rebasing: picture[start..<start + pixels.count]).copyMemory(from: pixels)
            }
        }
    }
    let caps = "video/x-raw,format=RGBA,width=\(atlas.width),height=\(atlas.height),framerate=0/1"
    let writer = try Pipeline(
        "appsrc name=picture caps=\(Pipeline.quoted(caps)) ! pngenc ! filesink location=\(Pipeline.quoted(file))")
    try writer.begin(.playing)
    try writer["picture"].emit("push-buffer", buffer, as: String.self)
    try writer["picture"].emit("end-of-stream", as: String.self)
    try await writer.end()
}

await Program.run("CLIP... ATLAS.mov TILES.png", 3...Int.max) { arguments in
    let (clips, file, picture) = (
        arguments.dropLast(2), arguments[arguments.count - 2], arguments[arguments.count - 1]
    )
    let (atlas, duration) = try await AtlasWriter(Array(clips)).write(file)
    try await writePicture(picture, of: TileCutter(file).frame(at: duration / 2), atlas)
    print("\(atlas.width)x\(atlas.height), \(Double(duration) / 1e9) s")
    for (clip, tile) in zip(clips, atlas.tiles) { print("\(tile) \(clip)") }
}
