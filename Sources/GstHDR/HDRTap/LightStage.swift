import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Converts frames of a stream to linear light, and light to frames of the stream.
final class LightStage {
    /// The light of the frame that was decoded last, in rows of red, green, blue and alpha.
    let data: UnsafeMutableRawPointer
    /// The number of bytes from one row to the next.
    let stride: Int
    let space: LightSpace
    private let frames: LightFrames
    private let memory: gpointer

    /// - Parameter threads: the number of threads; 0 for one per processor.
    init(
        _ format: VideoFormat, _ element: LightElement, _ space: LightSpace, threads: Int
    ) throws(LightFrames.Unavailable) {
        let frames = try LightFrames(format, output: format, element, space, threads: threads)
        self.frames = frames
        self.space = space
        let (width, height) = (frames.source.width, frames.source.height)
        // Rows begin at cache line boundaries.
        stride = (width * element.bytesPerPixel + 63) / 64 * 64
        guard let memory = g_try_malloc(gsize(stride * height + 64)) else {
            throw LightFrames.Unavailable(description: "Out of memory for the light of \(width)x\(height) pixels")
        }
        self.memory = memory
        data = memory + (64 - Int(bitPattern: memory) % 64)
    }

    deinit { g_free(memory) }

    /// A buffer for an output frame; the caller owns it.
    func makeBuffer() -> UnsafeMutablePointer<GstBuffer>? { frames.makeBuffer() }

    /// Converts a frame to light.
    /// - Returns: `false` where the frame differs from its caps.
    func decode(_ frame: UnsafeMutablePointer<GstVideoFrame>) -> Bool {
        frames.eachField(of: frame) { view, field in
            let light = rows(field, height: view.height)
            frames.forEachSlice(view.height) { rows, thread in
                frames.converter.decode(view, rows: rows, into: light, thread: thread)
            }
        }
    }

    /// Converts light to a frame.
    /// - Parameter source: the frame from which the light was decoded; where light is unchanged, its code values are
    ///   kept.
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
