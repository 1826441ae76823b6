import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// Adds the fields to the caps of copied video that muxers need and demuxers leave out.
final class MuxerCapsFilter: CapsFilter, @unchecked Sendable {
    private let plan: VideoPlan

    init(_ plan: VideoPlan) { self.plan = plan }

    override func change(_ structure: Caps.Structure) {
        switch plan.codec {
        case .vp9 where plan.fileType != .matroska:
            // mp4mux 1.22 compares both strings without checking that they exist. VP9's default chroma location is
            // vertically cosited, left.
            set(structure, "chroma-site", "mpeg2")
            set(structure, "colorimetry", "0:0:0:0")
        case _ where plan.codec.isProRes:
            // matroskamux and matroskademux 1.22 name the variant in another field.
            guard let variant = plan.codec.proResVariant else { return }
            Caps.set(structure, plan.fileType == .matroska ? "format" : "variant", to: variant)
        default: break
        }
    }

    private func set(_ structure: Caps.Structure, _ field: String, _ text: String) {
        if gst_structure_has_field(structure, field) == 0 { Caps.set(structure, field, to: text) }
    }
}
