import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Dynamic metadata of pictures, and what the display gets of them.
extension EDRSink {
    /// What is known of pictures' metadata, behind the painter's lock.
    struct MetadataState {
        fileprivate var reader = PictureDynamicsReader()
        /// Makes a picture of Dolby Vision's base layer; `nil` where the present one is a picture.
        fileprivate(set) var reshaper: Reshaper?
        fileprivate var layout: PixelLayout?
    }

    /// The source as its picture's metadata make it.
    /// - Returns: the source, and what is said of the picture's light; or why it is no picture.
    func applyMetadata(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: Source, _ painter: inout Painter
    ) -> Result<(source: Source, light: PictureDynamics.Light?), BaseLayerAlone> {
        let dynamics = painter.metadata.reader.read(buffer)
        guard settings.current.usesMetadata else {
            painter.metadata.reshaper = nil
            guard dynamics?.needsReshaping != true else { return .failure(BaseLayerAlone()) }
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
