import CHDRTap

/// The attachment of a processor to an element `hdrtap`.
///
/// The element owns the processor, and releases it after its last call: when it is detached, replaced, or the element
/// is freed. This object keeps the element alive; releasing this object does not detach.
public final class AudioTap<Processor: AudioProcessor & ~Copyable>: Sendable {
    private let attachment: Attachment

    /// Attaches a processor, replacing the element's effect or what was attached before. May be called on any thread,
    /// in any state; while playing, the processor takes over at the next buffer.
    /// - Parameter element: An element `hdrtap`.
    public init(
        _ processor: consuming sending Processor, on element: UnsafeMutablePointer<GstElement>
    ) throws(AudioTapError) {
        attachment = try Attachment(ProcessorBox(element, processor) as TapBox, element, .audio)
    }

    /// Detaches the processor, unless another `AudioTap` has replaced it. From the next buffer on, audio passes
    /// unchanged or is processed by the element's effect. May be called on any thread; the processor may still be in
    /// its last call when this returns.
    public func detach() { attachment.detach() }
}

/// The reason why an audio processor was not attached.
public typealias AudioTapError = TapError
