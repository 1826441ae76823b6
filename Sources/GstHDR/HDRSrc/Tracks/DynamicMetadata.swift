import CGStreamer
import GstBridge
import HDRBitstream
import HDRConcurrency
import HDRMetadata

/// The Dolby Vision, HDR10+ and SMPTE ST 2094-50 metadata in a video's first packets.
final class DynamicMetadata: Sendable {
    /// The number of packets that are searched.
    private static let searched = 24

    private let state = Locked(State())
    private struct State {
        var inspection: BitstreamInspection?
        var packets = 0
    }

    /// Starts with a stream's caps, whose configuration record gives the framing of packets.
    func begin(_ structure: Caps.Structure) {
        state.withLock { state in
            guard state.inspection == nil, let codec = VideoCodec(structure)?.inspected else { return }
            var inspection = BitstreamInspection(codec: codec)
            if let data = Caps.buffer(structure, "codec_data") {
                try? inspection.read(configuration: data.withBytes { Array($0) } ?? [])
            }
            state.inspection = inspection
        }
    }

    func read(_ packet: UnsafeMutablePointer<GstBuffer>) {
        state.withLock { state in
            guard state.packets < Self.searched, state.inspection != nil else { return }
            state.packets += 1
            // The decoder reports damaged packets.
            _ = packet.withBytes { bytes in try? state.inspection?.read(accessUnit: bytes) }
        }
    }

    var hasHDR10Plus: Bool { state.withLock { $0.inspection?.hasHDR10Plus ?? false } }
    var hasST209450: Bool { state.withLock { $0.inspection?.hasST209450 ?? false } }
    var hasDolbyVision: Bool { state.withLock { $0.inspection?.hasDolbyVisionRPU ?? false } }
    /// The Dolby Vision profile of pictures that cannot be shown without their metadata; `nil` for others.
    var ownColorsProfile: Int? {
        state.withLock { state in
            guard let inspection = state.inspection, inspection.needsDolbyVision else { return nil }
            return inspection.dolbyVisionProfile.map { Int($0) }
        }
    }
    /// The ambient viewing environment in the bitstream.
    var ambientViewing: AmbientViewing? { state.withLock { $0.inspection?.ambientViewing } }
    /// The colour description in the bitstream.
    var color: ColorDescription? { state.withLock { $0.inspection?.color } }
}
