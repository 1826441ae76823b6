import CGStreamer
import TestSupport
import Testing

/// Interlaced pictures of formats with half the rows of chroma, in buffers of different layouts.
@Suite(.quiet) struct InterlacedLayoutTests {
    /// The rows that a picture has, and no others, full of noise.
    private func fill(_ buffer: Buffer, _ info: GstVideoInfo, bits: Int, isSemiPlanar: Bool) throws {
        var info = info
        var frame = GstVideoFrame()
        try #require(gst_video_frame_map(&frame, &info, buffer.pointer, GST_MAP_WRITE) != 0)
        defer { gst_video_frame_unmap(&frame) }
        var generator = SeededGenerator(seed: 7)
        let width = Int(info.width)
        let (data, strides) = (frame.data, frame.info.stride)
        let planes = [(data.0, strides.0), (data.1, strides.1), (data.2, strides.2)].prefix(isSemiPlanar ? 2 : 3)
        for (index, (memory, stride)) in planes.enumerated() {
            let half = (width + 1) / 2
            let samples = index == 0 ? width : isSemiPlanar ? 2 * half : half
            for y in 0..<(index == 0 ? Int(info.height) : (Int(info.height) + 1) / 2) {
                let row = try #require(memory) + y * Int(stride)
                for x in 0..<samples {
                    let value = UInt16(truncatingIfNeeded: generator.next()) >> UInt16(16 - bits)
                    if bits > 8 {
                        row.storeBytes(of: value, toByteOffset: 2 * x, as: UInt16.self)
                    } else {
                        row.storeBytes(of: UInt8(value), toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }
    }

    /// The second field's last row of chroma has a place in some layouts alone: all give the same picture, and the same
    /// bytes of it.
    @Test(arguments: [1, 2, 5, 6, 7, 9, 10], ["I420", "NV12", "YV12", "I420_10LE"])
    func everyLayoutGivesTheSame(_ height: Int, _ format: String) throws {
        for (target, color) in [("Y444_10LE", "bt2100-pq"), ("I420", "bt709"), ("NV21", "bt2100-pq")] {
            var outputs: [[UInt8]] = []
            for padding in [0, 32, 64] {
                let harness = try Harness(
                    caps(format, "bt2100-pq", 18, height, more: "interlace-mode=interleaved"), to: want(target, color),
                    ["dither": "none"])
                let info = try harness.inputInfo()
                let input = try Buffer(info, padding: padding)
                try fill(input, info, bits: format.hasSuffix("10LE") ? 10 : 8, isSemiPlanar: format.hasPrefix("NV"))
                input.flags |= GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue
                outputs.append(try harness.convert(input).bytes)
            }
            #expect(outputs[1] == outputs[0], "\(format) to \(target)")
            #expect(outputs[2] == outputs[0], "\(format) to \(target)")
        }
    }
}
