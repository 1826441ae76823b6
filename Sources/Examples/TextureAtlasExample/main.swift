// Several clips as tiles of one video (a texture atlas), which one decoder plays: the tiles cannot get out of step. The
// atlas is written, and then each tile is cut out of a frame that an output of hdrtap gives by its time.
//
//     TextureAtlasExample CLIP... ATLAS.mov TILES.png
//
// It prints where the tiles are, as WIDTHxHEIGHT+X+Y.
import CGStreamer
import Glibc
import HDRTap

/// Gets tiles out of an atlas.
struct TileCutter {
    let player: Pipeline
    let output: VideoOutput

    init(_ uri: String) throws {
        player = Pipeline(
            "uridecodebin uri=\(quoted(uri)) ! video/x-raw ! hdrtap name=tap ! queue ! fakesink sync=true")
        // Pictures as a PNG file has them. Highlights are tone-mapped; format=rgba16f would keep them.
        output = try VideoOutput(
            of: player.child("tap"), VideoOutput.Settings(format: "RGBA", primaries: "bt709", transfer: "srgb"))
    }

    /// The frame that is seen at a time. All tiles are in this one object, and so of this one time, however long an
    /// application takes to draw them.
    func frame(at time: GstClockTime) -> VideoOutput.Frame {
        player.set(GST_STATE_PAUSED)
        player.waitUntilPaused()
        let flags = GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_ACCURATE.rawValue)
        guard gst_element_seek_simple(player.element, GST_FORMAT_TIME, flags, gint64(time)) != 0 else {
            fail("the atlas cannot be searched")
        }
        player.waitUntilPaused()
        // Item times begin at 0 after a seek. A file rounds its own, so that the frame may be some ns late.
        guard let frame = output.copyFrame(at: 1_000_000) else {
            fail("the atlas has no picture at \(Double(time) / 1e9) s")
        }
        return frame
    }

    /// A tile's rows, each of 4 bytes a pixel, in the frame's own memory: nothing is copied.
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

/// A picture of the tiles alone, each at its place in the atlas. What was around them is transparent.
func writePicture(_ file: String, of frame: VideoOutput.Frame, _ atlas: Atlas) {
    let size = 4 * atlas.width * atlas.height
    var map = GstMapInfo()
    guard frame.number("width") == atlas.width, frame.number("height") == atlas.height,
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil), gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0
    else { fail("the atlas comes back in another size than \(atlas.width)x\(atlas.height)") }
    let picture = UnsafeMutableRawBufferPointer(start: map.data, count: size)
    picture.initializeMemory(as: UInt8.self, repeating: 0)
    for tile in atlas.tiles {
        TileCutter.withRows(of: tile, in: frame) { row, pixels in
            let start = 4 * ((tile.y + row) * atlas.width + tile.x)
            UnsafeMutableRawBufferPointer(rebasing: picture[start..<start + pixels.count]).copyMemory(from: pixels)
        }
    }
    gst_buffer_unmap(buffer, &map)
    let caps = "video/x-raw,format=RGBA,width=\(atlas.width),height=\(atlas.height),framerate=0/1"
    let writer = Pipeline(
        "appsrc name=picture caps=\(quoted(caps)) ! pngenc ! filesink location=\(quoted(file))")
    writer.set(GST_STATE_PLAYING)
    emit(writer.child("picture"), "push-buffer", buffer)
    emit(writer.child("picture"), "end-of-stream")
    gst_buffer_unref(buffer)
    writer.waitForEnd()
}

gst_init(nil, nil)
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else {
    fail("give it these arguments: CLIP... ATLAS.mov TILES.png", status: 2)
}
let (clips, file, picture) = (arguments.dropLast(2), arguments[arguments.count - 2], arguments[arguments.count - 1])
let (atlas, duration) = AtlasWriter(Array(clips)).write(file)
do {
    let cutter = try TileCutter(uri(file))
    writePicture(picture, of: cutter.frame(at: duration / 2), atlas)
    cutter.player.set(GST_STATE_NULL)
} catch {
    fail("\(error)")
}
print("\(atlas.width)x\(atlas.height), \(Double(duration) / 1e9) s")
for (clip, tile) in zip(clips, atlas.tiles) { print("\(tile) \(clip)") }
