import HDRMetadata

/// A change of the colour description in the VUI of an SPS of H.264 or H.265. All other bits are kept.
struct VUIColorEdit: Equatable, Sendable {
    var color: ColorDescription?
    /// Whether values that the SPS specifies are replaced; otherwise only unspecified ones are filled in.
    var replaces = false
    /// chroma_sample_loc_type of both fields, 0...5. Only 4:2:0 has one.
    var chromaLocation: UInt8?

    var isEmpty: Bool { color == nil && chromaLocation == nil }

    /// The changed NAL unit, escaped; `nil` where nothing changes.
    func applied(to unit: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        let payload = EmulationPrevention.removed(from: unit)
        let sps = try HEVCSequenceParameterSet(payload: payload)
        return try edited(payload, sps) { writer in
            // neutral_chroma_indication_flag, field_seq_flag, frame_field_info_present_flag as it is inferred without
            // a VUI, default_display_window_flag, vui_timing_info_present_flag, bitstream_restriction_flag.
            writer.write(0, bits: 2)
            writer.write(sps.profile.isProgressiveSource && sps.profile.isInterlacedSource)
            writer.write(0, bits: 3)
        }
    }

    /// Applies the edit to an SPS of H.264, whose VUI begins with the same syntax.
    func applied(toAVC unit: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        let payload = EmulationPrevention.removed(from: unit)
        let sps = try AVCSequenceParameterSet(payload: payload)
        return try edited(payload, sps) { writer in
            // timing_info_present_flag, nal_hrd_parameters_present_flag, vcl_hrd_parameters_present_flag,
            // pic_struct_present_flag, bitstream_restriction_flag.
            writer.write(0, bits: 5)
        }
    }

    /// - Parameter rest: writes the syntax behind the chroma location in a new VUI.
    private func edited(
        _ payload: [UInt8], _ sps: some SequenceParameterSet, rest: (inout RBSPWriter) -> Void
    ) throws(BitstreamError) -> [UInt8]? {
        let layout = sps.layout
        let newColor = changedColor(of: sps)
        let newLocation = changedLocation(of: sps)
        if newColor == nil, newLocation == nil { return nil }
        if let newColor, newColor.matrix == 0, sps.chromaFormat != 3 {
            throw BitstreamError(
                "matrix 0 (identity) needs 4:4:4, and the SPS is of another chroma format: set the colour's own matrix")
        }

        var writer = RBSPWriter(capacity: payload.count + 8)
        writer.write(0..<layout.presence, of: payload)
        writer.write(true)
        if layout.hasVUI {
            writer.write(layout.presence + 1..<layout.signalType.lowerBound, of: payload)
        } else {
            writer.write(0, bits: 2)  // no aspect ratio, no overscan
        }
        if let newColor {
            write(newColor, format: sps.videoFormat, hadColor: layout.hasColorDescription, to: &writer)
        } else if layout.hasVUI {
            writer.write(layout.signalType, of: payload)
        } else {
            writer.write(false)
        }
        if let newLocation {
            writer.write(true)
            writer.write(unsigned: newLocation)
            writer.write(unsigned: newLocation)
        } else if layout.hasVUI {
            writer.write(layout.chromaLocation, of: payload)
        } else {
            writer.write(false)
        }
        if !layout.hasVUI { rest(&writer) }
        writer.write(layout.chromaLocation.upperBound..<layout.end, of: payload)
        writer.finish()
        return EmulationPrevention.inserted(into: writer.bytes)
    }

    private func changedColor(of sps: some SequenceParameterSet) -> ColorDescription? {
        guard let color else { return nil }
        let present = sps.color
        var wanted = replaces ? color : present.completed(by: color)
        // Decoders treat an unspecified range as limited.
        wanted.isFullRange = wanted.isFullRange ?? present.isFullRange ?? false
        wanted.chromaLocation = present.chromaLocation
        if wanted == present { return nil }
        // A VUI without any information would be added.
        if wanted.isUnspecified, present.isUnspecified, wanted.isFullRange == (present.isFullRange ?? false) {
            return nil
        }
        return wanted
    }

    private func changedLocation(of sps: some SequenceParameterSet) -> UInt8? {
        guard let chromaLocation, sps.chromaFormat == 1 else { return nil }
        if sps.color.chromaLocation == chromaLocation, !sps.layout.bottomDiffers { return nil }
        return chromaLocation
    }

    private func write(_ color: ColorDescription, format: UInt8, hadColor: Bool, to writer: inout RBSPWriter) {
        writer.write(true)
        writer.write(UInt32(format), bits: 3)
        writer.write(color.isFullRange ?? false)
        let hasColor = hadColor || !color.isUnspecified
        writer.write(hasColor)
        guard hasColor else { return }
        for code in [color.primaries, color.transfer, color.matrix] { writer.write(UInt32(code), bits: 8) }
    }
}
