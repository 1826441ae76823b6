import CGStreamer
import GstBridge
import HDRBitstream
import HDRConcurrency
import HDRMetadata

/// What a video's first packets say of Dolby Vision, HDR10+ and SMPTE ST 2094-50.
final class DynamicMetadata: Sendable {
    /// So many packets are searched.
    private static let searched = 24

    private let state = Locked(State())
    private struct State {
        var inspection: BitstreamInspection?
        var packets = 0
    }

    /// Begins with a stream's caps, whose configuration record says how its packets are framed.
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
            // A damaged packet is judged by its decoder.
            _ = packet.withBytes { bytes in try? state.inspection?.read(accessUnit: bytes) }
        }
    }

    var hasHDR10Plus: Bool { state.withLock { $0.inspection?.hasHDR10Plus ?? false } }
    var hasST209450: Bool { state.withLock { $0.inspection?.hasST209450 ?? false } }
    var hasDolbyVision: Bool { state.withLock { $0.inspection?.hasDolbyVisionRPU ?? false } }
    /// `nil` where it cannot be told.
    var dolbyVisionProfile: Int? { state.withLock { $0.inspection?.dolbyVisionProfile.map { Int($0) } } }
    /// The ambient viewing environment that the bitstream itself has.
    var ambientViewing: AmbientViewing? { state.withLock { $0.inspection?.ambientViewing } }
    /// The colour that the bitstream itself has.
    var color: ColorDescription? { state.withLock { $0.inspection?.color } }
}
