import GstBridge
import HDRBitstream
import HDRColor
import HDRExport
import HDRMetadata
import HDRPipeline

/// The pictures that dynamic metadata are put into.
struct BaseLayer {
    /// The transfer function as a code point of H.273; 2 where it is unspecified.
    let transfer: UInt8
    /// Whether it is one of Dolby Vision profile 5 (IPTPQc2), which only RPUs of that profile make a picture of.
    let isOfProfile5: Bool
    /// Whether the stream has an enhancement layer too, which RPUs of profiles 4 and 7 combine with it.
    let hasEnhancementLayer: Bool

    private var range: DynamicRange? { transfer == 2 ? nil : DynamicRange(transfer: transfer) }

    /// Throws where RPUs were made for other pictures, which they would show wrong.
    /// - Parameters:
    ///   - pieces: the RPUs of `file`.
    ///   - input: the video.
    func check(_ pieces: [[UInt8]], of file: FileName, for input: FileName) throws(Failure) {
        guard let first = pieces.first, let rpu = try? DolbyVisionRPU(nalUnit: first) else { return }
        if isOfProfile5 {
            guard rpu.signaledProfile != 5 else { return }
            throw Failure(
                "\(input.shown) is Dolby Vision profile 5, whose pictures are green and purple without RPUs of profile "
                    + "5, and those of \(file.shown) are for \(Self.base(of: rpu).map { "\($0)" } ?? "another one"): "
                    + "extract those of a video like it")
        }
        guard let range else { return try checkLayer(rpu, of: file, for: input) }
        let wanted = Self.base(of: rpu)
        let conversion: String
        switch (wanted, range) {
        case (.hlg?, .pq): conversion = "convert them first: hdr rpu convert \(file.shown) --to 8.1 --remove-mapping"
        case (.pq?, .hlg): conversion = "convert them first: hdr rpu convert \(file.shown) --to 8.4"
        case (.pq?, .sdr): conversion = "convert the pictures first: hdr convert --range pq"
        // Base layers of profile 5 are tagged in many ways, but not as HLG.
        case (nil, .hlg) where rpu.signaledProfile == 5: conversion = "extract those of a video like it"
        default: return try checkLayer(rpu, of: file, for: input)
        }
        let base = wanted.map { "a base layer in \($0)\($0 == .hlg ? " (profile 8.4)" : "")" } ?? "profile 5"
        throw Failure(
            "the RPUs of \(file.shown) are for \(base), and \(input.shown) is \(range): they would show it wrong; "
                + conversion)
    }

    /// Throws where RPUs combine pictures with those of an enhancement layer that the video does not have: no container
    /// could say what it is.
    private func checkLayer(_ rpu: DolbyVisionRPU, of file: FileName, for input: FileName) throws(Failure) {
        guard !hasEnhancementLayer, let profile = rpu.signaledProfile, [4, 7].contains(profile) else { return }
        throw Failure(
            "the RPUs of \(file.shown) are of profile \(profile), whose videos have an enhancement layer, "
                + "and \(input.shown) has none: convert them first: hdr rpu convert \(file.shown) --to 8.1")
    }

    /// Throws where the pictures are not PQ, for which alone there is HDR10+.
    func checkHDR10Plus(_ input: FileName) throws(Failure) {
        guard let range, range != .pq else { return }
        throw Failure(
            "\(input.shown) is \(range), and HDR10+ metadata are for PQ: convert the pictures first: hdr convert "
                + "--range pq")
    }

    /// The dynamic range from which an RPU's reshaping makes PQ; `nil` where it cannot be inferred: PQ stays almost
    /// unchanged, and the bright half of HLG becomes much darker codes.
    private static func base(of rpu: DolbyVisionRPU) -> DynamicRange? {
        guard rpu.signaledProfile != 5, let reshaping = Reshaping(rpu) else { return nil }
        let bright = 0.85
        let made = reshaping.reshaped(SIMD3(bright, 0.5, 0.5)).x
        return made < 0.72 ? .hlg : made > 0.8 ? .pq : nil
    }
}

extension MetadataGathering {
    var base: BaseLayer {
        BaseLayer(
            transfer: transfer, isOfProfile5: inspection?.needsDolbyVision == true,
            hasEnhancementLayer: inspection?.hasEnhancementLayer == true)
    }

    /// The transfer function of the base layer, a code point of H.273, from the bitstream or else from the container; 2
    /// where neither states it.
    private var transfer: UInt8 {
        let own = inspection?.color.transfer ?? 2
        guard own == 2, let colorimetry else { return own }
        return ColorDescription(colorimetry: colorimetry)?.transfer ?? 2
    }
}
