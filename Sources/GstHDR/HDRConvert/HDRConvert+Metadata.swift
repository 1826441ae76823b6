import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Applies the dynamic metadata of pictures, and converts them for the output.
extension HDRConvert {
    /// Reads a picture's dynamic metadata for the plan.
    /// - Returns: whether they differ from those of the last picture so that a new plan is needed.
    func adoptMetadata(_ buffer: UnsafeMutablePointer<GstBuffer>, _ settings: Settings) -> Bool {
        var next = settings.usesMetadata ? dynamicsReader.read(buffer) : nil
        // A profile 5 base layer whose RPU was lost uses that of the picture before, since it cannot be shown without
        // one.
        if settings.usesMetadata, next == nil, dynamics?.needsReshaping == true { next = dynamics }
        if let layout = negotiated?.source.layout, !hasRefusedBaseLayer,
            !settings.usesMetadata || !Reshaper.takes(layout)
        {
            refuseBaseLayer(buffer, layout, settings)
        }
        guard next != dynamics else { return false }
        let needsPlan = next?.isPlanned(as: dynamics) != true
        dynamics = next
        if !needsPlan, let reshaping = next?.reshaping { reshaper?.set(reshaping) }
        return needsPlan
    }

    /// Posts an error for a profile 5 base layer (IPTPQc2), which cannot be shown without its RPU.
    private func refuseBaseLayer(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ layout: PixelLayout, _ settings: Settings
    ) {
        let dynamics = dynamicsReader.read(buffer)
        guard let problem = BaseLayerAlone(dynamics, of: layout, usesMetadata: settings.usesMetadata) else { return }
        hasRefusedBaseLayer = true
        error(problem.description)
    }

    /// Attaches an RPU to a PQ picture that was made from a base layer: the RPU converted to profile 8.1, with the same
    /// light and without reshaping.
    func attachMetadata(to output: UnsafeMutablePointer<GstBuffer>, from source: UnsafeMutablePointer<GstBuffer>) {
        guard let plan, plan.format.reshapes, plan.conversion.keepsLight,
            let metadata = pictureRPU.read(source)
        else { return }
        output.setMetadata(metadata)
    }

    /// The signal that is converted: the source's, or the one that reshaping makes from it. Conversions of format alone
    /// keep the base layer and its metadata, except for profile 5.
    func effectiveSource(_ negotiated: Negotiated, _ settings: Settings) -> VideoSignal {
        let source = negotiated.source
        guard let dynamics, dynamics.reshaping != nil, Reshaper.takes(source.layout) else { return source }
        let plain = settings.plan(
            from: source, to: negotiated.target, metadata: negotiated.metadata,
            requestedPeak: Self.requestedPeak(negotiated.requested))
        return plain.keepsLight && !dynamics.needsReshaping ? source : source.with(Reshaping.signal())
    }

    /// The light and the tone curve in the picture's metadata, for a conversion that compresses; `nil` where a property
    /// sets another peak, or the metadata have none.
    func dynamicLight(_ conversion: ConversionPlan, _ settings: Settings) -> PictureDynamics.Light? {
        guard settings.sourcePeak < StaticMetadata.lowestPeak, settings.scenes.isEmpty else { return nil }
        return dynamics?.light?.planned(conversion, takesCurve: settings.toneMapping == nil)
    }
}

extension PictureDynamics {
    /// Whether one plan serves both, each with its own reshaping.
    fileprivate func isPlanned(as other: PictureDynamics?) -> Bool {
        guard let other else { return false }
        return (reshaping == nil) == (other.reshaping == nil) && needsReshaping == other.needsReshaping
            && light == other.light
    }
}
