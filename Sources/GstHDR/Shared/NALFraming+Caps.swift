import CGStreamer
import GstBridge
import HDRBitstream

extension NALFraming {
    /// The NAL unit framing in the caps of an HEVC stream; `nil` where they have no readable configuration record.
    init?(hevc structure: Caps.Structure) {
        guard Caps.string(structure, "stream-format") != "byte-stream" else {
            self = .byteStream
            return
        }
        guard let data = Caps.buffer(structure, "codec_data"), let record = data.withBytes({ Array($0) }),
            let read = try? HEVCConfigurationRecord(record)
        else { return nil }
        self = read.framing
    }
}
