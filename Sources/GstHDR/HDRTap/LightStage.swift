import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Frames of a stream as linear light, and light as frames of the stream.
final class LightStage {
    /// The light of the frame that was decoded last, rows of red, green, blue and alpha.
    let data: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    let stride: Int
    let space: LightSpace
    private let frames: LightFrames
    private let memory: gpointer

    /// - Parameter threads: 0 for one for each processor.
    init(
        _ format: VideoFormat, _ element: LightElement, _ space: LightSpace, threads: Int
    ) throws(LightFrames.Unavailable) {
        let frames = try LightFrames(format, output: format, element, space, threads: threads)
        self.frames = frames
        self.space = space
        let (width, height) = (frames.source.width, frames.source.height)
        // Rows begin at whole lines of the processor's cache.
        stride = (width * element.bytesPerPixel + 63) / 64 * 64
        guard let memory = g_try_malloc(gsize(stride * height + 64)) else {
            throw LightFrames.Unavailable(description: "There is no memory for the light of \(width)x\(height) pixels")
        }
        self.memory = memory
        data = memory + (64 - Int(bitPattern: memory) % 64)
    }

    deinit { g_free(memory) }

    /// A buffer for a frame of the stream; the caller owns it.
    func makeBuffer() -> UnsafeMutablePointer<GstBuffer>? { frames.makeBuffer() }

    /// Makes light of a frame.
    /// - Returns: `false` where the frame differs from its caps.
    func decode(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> Bool {
        frames.eachField(of: frame) { view, field in
            let light = rows(field, height: view.height)
            frames.forEachSlice(view.height) { rows, thread in
                frames.converter.decode(view, rows: rows, into: light, thread: thread)
            }
        }
    }

    /// Makes a frame of the light.
    /// - Parameter source: the frame that the light was decoded from; where light is as it was, its codes are too.
    /// - Returns: `false` where a frame differs from its caps.
    func encode(
        from source: UnsafeMutablePointer<GstVideoFrame>, into target: UnsafeMutablePointer<GstVideoFrame>
    ) -> Bool {
        frames.eachField(of: source, into: target) { from, into, field in
            let light = rows(field, height: into.height)
            frames.forEachSlice(into.height) { rows, thread in
                frames.converter.encode(light, from: from, into: into, rows: rows, thread: thread)
            }
        }
    }

    private func rows(_ field: PictureField, height: Int) -> LightRows {
        LightRows(
            data: data + field.row(0) * stride, stride: field == .whole ? stride : 2 * stride, rows: 0..<height)
    }
}
