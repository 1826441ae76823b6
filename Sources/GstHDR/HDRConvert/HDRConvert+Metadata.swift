import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels

/// Dynamic metadata of pictures, and what a conversion makes of them.
extension HDRConvert {
    /// Takes what a picture's metadata say for the plan.
    /// - Returns: whether that is something else than the last picture's said.
    func adoptMetadata(_ buffer: UnsafeMutablePointer<GstBuffer>, _ settings: Settings) -> Bool {
        var next = settings.usesMetadata ? dynamicsReader.read(buffer) : nil
        // A base layer whose RPU was lost has that of the picture before: it is no picture without one.
        if settings.usesMetadata, next == nil, dynamics?.needsReshaping == true { next = dynamics }
        if !settings.usesMetadata, negotiated != nil, !hasRefusedBaseLayer { refuseBaseLayer(buffer) }
        guard next != dynamics else { return false }
        let needsPlan = next?.isPlanned(as: dynamics) != true
        dynamics = next
        if !needsPlan, let reshaping = next?.reshaping { reshaper?.set(reshaping) }
        return needsPlan
    }

    /// What profile 5 has as a base layer is no picture, and shows green and purple without its metadata.
    private func refuseBaseLayer(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard dynamicsReader.read(buffer)?.needsReshaping == true else { return }
        hasRefusedBaseLayer = true
        error(BaseLayerAlone().description)
    }

    /// Puts the RPU on a picture in PQ that was made of a base layer: one of profile 8.1, which says the same of the
    /// picture's light, and that nothing is to be reshaped.
    func describe(_ output: UnsafeMutablePointer<GstBuffer>, from source: UnsafeMutablePointer<GstBuffer>) {
        guard let plan, plan.format.reshapes, plan.conversion.keepsLight,
            let metadata = pictureRPU.read(source)
        else { return }
        output.setMetadata(metadata)
    }

    /// The signal that is converted: the source's, or the one that reshaping makes of it. What only changes its form
    /// stays a base layer, with its metadata, unless that is no picture.
    func effectiveSource(_ negotiated: Negotiated, _ settings: Settings) -> VideoSignal {
        let source = negotiated.source
        guard let dynamics, dynamics.reshaping != nil, Reshaper.takes(source.layout) else { return source }
        let plain = settings.plan(
            from: source, to: negotiated.target, metadata: negotiated.metadata,
            requestedPeak: Self.requestedPeak(negotiated.requested))
        return plain.keepsLight && !dynamics.needsReshaping ? source : source.with(Reshaping.signal())
    }

    /// The light that metadata say the picture has, for a curve that compresses, and the curve that they have for it;
    /// `nil` where a property says another peak, or where they say nothing.
    func dynamicLight(_ conversion: ConversionPlan, _ settings: Settings) -> PictureDynamics.Light? {
        guard settings.sourcePeak < Self.lowestPeak, settings.scenes.isEmpty else { return nil }
        return dynamics?.light?.planned(conversion, takesCurve: settings.toneMapping == nil)
    }
}

extension PictureDynamics {
    /// Whether one plan serves both, with the mappings of each.
    fileprivate func isPlanned(as other: PictureDynamics?) -> Bool {
        guard let other else { return false }
        return (reshaping == nil) == (other.reshaping == nil) && needsReshaping == other.needsReshaping
            && light == other.light
    }
}
