import HDRMetadata

extension DolbyVisionRPU {
    /// The kind of enhancement layer in profile 7.
    package enum EnhancementLayer: Equatable, Sendable {
        /// MEL: nothing but metadata.
        case minimal
        /// FEL: a residual of the picture.
        case full
    }

    /// The profile 4, 5, 7 or 8; `nil` where the header's fields match none: see ``Header/signaledProfile``.
    package var signaledProfile: UInt8? { header.signaledProfile }

    /// The kind of enhancement layer; `nil` where there is none, or where this RPU does not describe it.
    package var enhancementLayer: EnhancementLayer? {
        guard let sequence = header.sequence, let isMinimal = mapping?.isMinimal(sequence.coefficientFormat) else {
            return nil
        }
        return isMinimal ? .minimal : .full
    }

    /// The usual name of the profile: "5", "7 MEL", "8.4"; `nil` where the header's fields match no profile.
    /// - Parameter transfer: the transfer function of the base layer, a code point of H.273.
    package func profileName(transfer: UInt8) -> String? {
        guard let profile = signaledProfile else { return nil }
        switch (profile, enhancementLayer) {
        case (7, .minimal?): return "7 MEL"
        case (7, .full?): return "7 FEL"
        case (8, _):
            let compatibility = DolbyVisionCompatibility.identifier(transfer: transfer)
            return compatibility == 0 ? "8" : "8.\(compatibility)"
        default: return "\(profile)"
        }
    }

    /// Makes this an RPU of profile 8.1, for a base layer in HDR10, without an enhancement layer.
    ///
    /// Pictures are not converted: the base layer of profile 7 is HDR10, that of profile 5 is not.
    ///
    /// - Parameter keepsMapping: whether the reshaping curves stay. They do by default, unless they were made for
    ///   another base layer or for a residual that is now missing: those of profile 5 and of a full enhancement layer
    ///   become the identity.
    package mutating func convertToProfile81(keepsMapping: Bool? = nil) {
        let makesIdentity = !(keepsMapping ?? (signaledProfile != 5 && enhancementLayer != .full))
        header.profile = 1
        if var sequence = header.sequence {
            sequence.isBaseLayerFullRange = false
            sequence.elSpatialResamplingFilterFlag = false
            sequence.disableResidualFlag = true
            header.sequence = sequence
            if makesIdentity, let old = mapping {
                var identity = Mapping.identity(sequence)
                (identity.id, identity.colorSpace, identity.chromaFormatIDC) =
                    (old.id, old.colorSpace, old.chromaFormatIDC)
                mapping = identity
            }
        }
        mapping?.residual = nil
        displayManagement?.signal?.setYCbCr()
    }

    /// Makes this an RPU of profile 8.4, for a base layer in HLG, with the reshaping of ``Mapping/hlg``. Metadata for
    /// display management stay, but for the matrices. Pictures are not converted.
    package mutating func convertToProfile84() {
        convertToProfile81()
        let sequence = header.sequence
        header = Header()
        header.sequence?.dmCompression = sequence?.dmCompression ?? 0
        mapping = .hlg
    }

    /// Makes this an RPU of profile 7 whose enhancement layer is minimal, MEL: its residual is zero everywhere.
    package mutating func convertToMinimalLayer() {
        guard var sequence = header.sequence else { return }
        sequence.elSpatialResamplingFilterFlag = true
        sequence.disableResidualFlag = false
        header.sequence = sequence
        var component = Mapping.Residual.Component()
        component.inputMaximum = sequence.coefficientFormat.one
        let last = UInt16(truncatingIfNeeded: UInt32(1) << UInt32(min(sequence.baseLayerBitDepth, 16)) - 1)
        mapping?.residual = .init(pivots: [0, last], components: Array(repeating: component, count: 3))
    }

    /// Makes the reshaping curves the identity: what the base layer has is the picture.
    package mutating func removeMapping() {
        guard let old = mapping, let sequence = header.sequence else { return }
        var identity = Mapping.identity(sequence)
        (identity.id, identity.colorSpace, identity.chromaFormatIDC) = (old.id, old.colorSpace, old.chromaFormatIDC)
        identity.residual = old.residual
        mapping = identity
    }

    /// Removes everything of content mapping 4.0.
    package mutating func removeExtendedMetadata() { displayManagement?.extendedBlocks = nil }
}

extension DolbyVisionRPU.Signal {
    /// The matrices of profiles 8.1 and 8.4.
    fileprivate mutating func setYCbCr() {
        let standard = Self()
        (yccToRGB, yccToRGBOffset, rgbToLMS) = (standard.yccToRGB, standard.yccToRGBOffset, standard.rgbToLMS)
        colorSpace = 0
    }
}
