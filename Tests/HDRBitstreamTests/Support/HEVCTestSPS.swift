import MetadataTestSupport

@testable import HDRBitstream

/// Writes an SPS by the syntax tables of H.265, field by field.
struct HEVCTestSPS {
    struct VUI {
        var aspect: Int?
        var sarWidth = 0
        var sarHeight = 0
        var overscan: Bool?
        var signal: (format: Int, full: Bool, color: (Int, Int, Int)?)?
        var chroma: (Int, Int)?
        /// num_units_in_tick and time_scale.
        var timing: (Int, Int)?
    }

    var subLayers = 0
    /// The flags of which sub-layers have a profile and a level.
    var subLayerFlags: [(profile: Bool, level: Bool)] = []
    var profile = 2
    var tier = 0
    var progressive = 1
    var interlaced = 0
    var level = 153
    var id = 0
    var chromaFormat = 1
    var width = 1920
    var height = 1088
    /// conf_win offsets left, right, top, bottom.
    var window: (Int, Int, Int, Int)? = (0, 0, 0, 4)
    var lumaDepth = 10
    var chromaDepth = 10
    var orderBits = 8
    var scalingLists: Bool?
    var pcm = false
    /// Writes num_short_term_ref_pic_sets and the sets.
    var referenceSets: (inout BitText) -> Void = { $0.ue(0) }
    var longTerm: [Int] = []
    var vui: VUI? = VUI()
    /// Bits after the VUI: sps_extension_present_flag.
    var extensionBits: [Int] = [0]

    var unit: [UInt8] { escaped([0x42, 0x01] + bits.bytes()) }

    var bits: BitText {
        var b = BitText()
        b.u(4, 0)
        b.u(3, subLayers)
        b.u(1, 1)
        writeProfile(&b)
        b.ue(id)
        b.ue(chromaFormat)
        if chromaFormat == 3 { b.u(1, 0) }
        b.ue(width)
        b.ue(height)
        b.u(1, window == nil ? 0 : 1)
        if let window { for offset in [window.0, window.1, window.2, window.3] { b.ue(offset) } }
        b.ue(lumaDepth - 8)
        b.ue(chromaDepth - 8)
        b.ue(orderBits - 4)
        b.u(1, 1)
        for _ in 0...subLayers { for value in [4, 2, 0] { b.ue(value) } }
        for value in [0, 3, 0, 3, 1, 1] { b.ue(value) }
        writeScalingLists(&b)
        b.u(2, 0b11)
        b.u(1, pcm ? 1 : 0)
        if pcm {
            b.u(4, 7)
            b.u(4, 7)
            b.ue(0)
            b.ue(2)
            b.u(1, 1)
        }
        referenceSets(&b)
        b.u(1, longTerm.isEmpty ? 0 : 1)
        if !longTerm.isEmpty {
            b.ue(longTerm.count)
            for order in longTerm {
                b.u(orderBits, order)
                b.u(1, 1)
            }
        }
        b.u(2, 0b10)
        writeVUI(&b)
        for bit in extensionBits { b.u(1, bit) }
        return b
    }

    private func writeProfile(_ b: inout BitText) {
        b.u(2, 0)
        b.u(1, tier)
        b.u(5, profile)
        for flag in 0..<32 { b.u(1, flag == profile ? 1 : 0) }
        b.u(1, progressive)
        b.u(1, interlaced)
        b.u(2, 0b01)
        b.u(43, 0)
        b.u(1, 0)
        b.u(8, level)
        for index in 0..<subLayers {
            b.u(1, subLayerFlags[index].profile ? 1 : 0)
            b.u(1, subLayerFlags[index].level ? 1 : 0)
        }
        if subLayers > 0 { b.u(2 * (8 - subLayers), 0) }
        for flags in subLayerFlags.prefix(subLayers) {
            if flags.profile { b.u(88, 0x5A5A_5A5A) }
            if flags.level { b.u(8, 90) }
        }
    }

    private func writeScalingLists(_ b: inout BitText) {
        b.u(1, scalingLists == nil ? 0 : 1)
        guard let scalingLists else { return }
        b.u(1, scalingLists ? 1 : 0)
        guard scalingLists else { return }
        for size in 0..<4 {
            for matrix in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                // Every other list is a copy of an earlier one.
                b.u(1, matrix % 2)
                guard matrix % 2 == 1 else {
                    b.ue(0)
                    continue
                }
                if size > 1 { b.se(-3) }
                for index in 0..<min(64, 1 << (4 + size * 2)) { b.se(index % 5 - 2) }
            }
        }
    }

    private func writeVUI(_ b: inout BitText) {
        b.u(1, vui == nil ? 0 : 1)
        guard let vui else { return }
        b.u(1, vui.aspect == nil ? 0 : 1)
        if let aspect = vui.aspect {
            b.u(8, aspect)
            if aspect == 255 {
                b.u(16, vui.sarWidth)
                b.u(16, vui.sarHeight)
            }
        }
        b.u(1, vui.overscan == nil ? 0 : 1)
        if let overscan = vui.overscan { b.u(1, overscan ? 1 : 0) }
        b.u(1, vui.signal == nil ? 0 : 1)
        if let signal = vui.signal {
            b.u(3, signal.format)
            b.u(1, signal.full ? 1 : 0)
            b.u(1, signal.color == nil ? 0 : 1)
            if let color = signal.color { for code in [color.0, color.1, color.2] { b.u(8, code) } }
        }
        b.u(1, vui.chroma == nil ? 0 : 1)
        if let chroma = vui.chroma {
            b.ue(chroma.0)
            b.ue(chroma.1)
        }
        // neutral chroma, field_seq_flag, frame_field_info_present_flag, default display window
        b.u(2, 0)
        b.u(1, progressive & interlaced)
        b.u(1, 0)
        b.u(1, vui.timing == nil ? 0 : 1)
        if let timing = vui.timing {
            b.u(32, timing.0)
            b.u(32, timing.1)
            b.u(2, 0)
        }
        b.u(1, 0)
    }
}
