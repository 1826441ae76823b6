import CGStreamer
import CGstCheck
import GstBridge
import Testing

/// Requests for key frames, before the first coded picture is out and after.
@Suite struct KeyFrameRequestTests {
    private static let frame: GstClockTime = 40_000_000

    private func request(_ harness: EncoderHarness, _ time: GstClockTime) {
        gst_harness_push_upstream_event(
            harness.harness, gst_video_event_new_upstream_force_key_unit(time, 1, 1))
    }

    /// Whether an access unit with start codes has a picture of types 16 to 21 of H.265 7.4.2.2.
    private func isKeyFrame(_ bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast(3).contains { index in
            bytes[index...].starts(with: [0, 0, 1]) && (16...21).contains(bytes[index + 3] >> 1 & 0x3F)
        }
    }

    private func keyFrames(_ harness: EncoderHarness, pictures: Int, _ before: (Int) -> Void = { _ in }) -> [Int] {
        for index in 0..<pictures {
            before(index)
            #expect(harness.push(harness.picture(seed: UInt8(index % 4))) == GST_FLOW_OK)
        }
        harness.send(gst_event_new_eos())
        // Pictures come in coding order; with `bframes=0` that is their own.
        return harness.pulledBytes().enumerated().filter { isKeyFrame($1) }.map(\.offset)
    }

    private func harness() throws -> EncoderHarness {
        let harness = try EncoderHarness([
            "speed-preset": "ultrafast", "key-int-max": "1000",
            "option-string": "bframes=0:scenecut=0:pools=1:rc-lookahead=10:frame-threads=1",
        ])
        harness.negotiate()
        harness.sendSegment()
        return harness
    }

    /// Each request is met at its time, whether or not a picture was out when it came.
    @Test func eachIsMetAtItsTime() throws {
        let harness = try harness()
        for index in [GstClockTime(4), 12] { request(harness, index * Self.frame) }
        let found = keyFrames(harness, pictures: 60) { index in
            if index == 2 { request(harness, 8 * Self.frame) }
            if index == 30 { request(harness, 40 * Self.frame) }
        }
        #expect(found == [0, 4, 8, 12, 40])
    }

    /// Requests without a time, and those that come from upstream, are for the next picture.
    @Test func theNextPicture() throws {
        let harness = try harness()
        let found = keyFrames(harness, pictures: 60) { index in
            if index == 3 || index == 40 { request(harness, .max) }
            if index == 5 {
                let time = 5 * Self.frame
                harness.send(gst_video_event_new_downstream_force_key_unit(time, time, time, 1, 1))
            }
        }
        #expect(found == [0, 3, 5, 40])
    }

    /// A flush drops requests, and later ones are met.
    @Test func afterAFlush() throws {
        let harness = try harness()
        request(harness, 4 * Self.frame)
        harness.flush()
        request(harness, 6 * Self.frame)
        #expect(keyFrames(harness, pictures: 20) == [0, 6])
    }
}
