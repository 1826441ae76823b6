import CHDRTap

/// A processor's place in an element `hdrtap`.
///
/// The element owns the processor, and releases it after its last call: when it is detached, replaced, or the
/// element goes. This object keeps the element; letting go of it does not detach.
public final class AudioTap<Processor: AudioProcessor & ~Copyable>: Sendable {
    private let attachment: Attachment

    /// Attaches a processor, in place of the element's effect or of what was attached before. On any thread, in any
    /// state; while playing it takes over at the next buffer.
    /// - Parameter element: An element `hdrtap`.
    public init(
        _ processor: consuming sending Processor, on element: UnsafeMutablePointer<GstElement>
    ) throws(AudioTapError) {
        attachment = try Attachment(ProcessorBox(element, processor) as TapBox, element, .audio)
    }

    /// Detaches the processor, if no other `AudioTap` has taken its place. Buffers pass, or reach the element's effect,
    /// from the next one on. On any thread; the processor may be in its last call when this returns.
    public func detach() { attachment.detach() }
}

/// Why a processor of audio was not attached.
public typealias AudioTapError = TapError
