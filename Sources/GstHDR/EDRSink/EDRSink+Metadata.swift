import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Reads the dynamic metadata of pictures for the display's conversion.
extension EDRSink {
    /// The state of the pictures' dynamic metadata, protected by the painter's lock.
    struct MetadataState {
        fileprivate var reader = PictureDynamicsReader()
        /// Applies the reshaping of Dolby Vision to base layers; `nil` where the present picture needs none.
        fileprivate(set) var reshaper: Reshaper?
        fileprivate var layout: PixelLayout?
    }

    /// Replaces the signal of the source by the one that results when a picture's metadata are applied.
    /// - Returns: the source and the light that the metadata state for the picture, or the reason why it cannot be
    ///   shown.
    func applyMetadata(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: Source, _ painter: inout Painter
    ) -> Result<(source: Source, light: PictureDynamics.Light?), BaseLayerAlone> {
        let dynamics = painter.metadata.reader.read(buffer)
        let usesMetadata = settings.current.usesMetadata
        if let problem = BaseLayerAlone(dynamics, of: source.signal.layout, usesMetadata: usesMetadata) {
            painter.metadata.reshaper = nil
            return .failure(problem)
        }
        guard usesMetadata else {
            painter.metadata.reshaper = nil
            return .success((source, nil))
        }
        guard let reshaping = dynamics?.reshaping, Reshaper.takes(source.signal.layout) else {
            painter.metadata.reshaper = nil
            return .success((source, dynamics?.light))
        }
        if let reshaper = painter.metadata.reshaper, painter.metadata.layout == source.signal.layout {
            reshaper.set(reshaping)
        } else {
            painter.metadata.layout = source.signal.layout
            painter.metadata.reshaper = Reshaper(
                reshaping, layout: source.signal.layout, instructionSet: CPUChoice.current.instructionSet)
        }
        var made = source
        made.signal = source.signal.with(Reshaping.signal())
        return .success((made, dynamics?.light))
    }
}
