import HDRColor

extension HDR10PlusMetadata {
    /// The tone curve of the whole picture, that of the first window; `nil` where the metadata have none. Other windows
    /// and colour saturation are not part of it.
    package var sceneCurve: SceneToneCurve? {
        guard let mapping = windows.first?.toneMapping else { return nil }
        let curve = HDR10PlusToneCurve(mapping)
        return SceneToneCurve(
            kneePoint: SIMD2(curve.kneeX, curve.kneeY), anchors: Array(curve.controlPoints.dropFirst().dropLast()),
            targetedPeak: Double(targetedSystemDisplayMaximumLuminance))
    }

    /// The largest light of the picture's components in cd/m², which is 1 to the curve: the largest of MaxSCL, or
    /// without it the highest percentile of the distribution. `nil` where neither is there.
    package var scenePeak: Double? {
        guard let window = windows.first else { return nil }
        let largest = window.maxSCL.max()
        let light = largest > 0 ? largest : window.distributionMaxRGB.map(\.highest).max() ?? 0
        return light > 0 ? min(Double(light) / 10, PQ.peak) : nil
    }
}

extension HDR10PlusMetadata.Percentile {
    /// The entry of 10 per cent is a share of the pixels and no light.
    fileprivate var highest: UInt32 { percentage == 10 ? 0 : percentile }
}
