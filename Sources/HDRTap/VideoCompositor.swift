import CHDRTap

/// An application's own composition, in place of the blending of an element `hdrcompositor`.
///
///     final class Brighter: VideoCompositor {
///         var abilities: CompositorAbilities {
///             CompositorAbilities(takesHDR: true, sources: .light(.single), frames: .light(.single))
///         }
///
///         func start(_ request: CompositionRequest) throws {
///             guard let source = request.sources.first, let frame = request.newFrame() else {
///                 return request.leaveOut()
///             }
///             for row in 0..<frame.height {
///                 let (light, given) = (frame.light(row: row), source.light(row: row))
///                 // Every fourth number is alpha; what the source does not cover becomes transparent.
///                 for index in light.indices {
///                     light[index] = index < given.count ? (index % 4 == 3 ? 1 : 2) * given[index] : 0
///                 }
///             }
///             request.finish(frame)
///         }
///     }
///
///     let compositing = try VideoCompositing(Brighter(), on: element)
///     compositing.detach()
///
/// All but ``cancelAllPendingRequests()`` is called on one thread at a time, the streaming one. The compositor is
/// released after the last call, on a thread that does not stream.
public protocol VideoCompositor: AnyObject, Sendable {
    /// The forms of pictures that it supports; read once, when it is attached.
    var abilities: CompositorAbilities { get }

    /// Called when the canvas has changed, before the first request for it.
    func renderContextChanged(_ context: CompositionContext)

    /// Requests a picture, which is answered within this call or later, on any thread, by one of the request's
    /// functions. A request that is released without an answer ends the stream.
    /// - Throws: to end the stream; the error's description is the text of the pipeline's error.
    func start(_ request: CompositionRequest) throws

    /// Called when pending requests are no longer needed: on the thread that flushes, stops, attaches or releases a
    /// pad, also while `start` runs.
    func cancelAllPendingRequests()
}

extension VideoCompositor {
    public var abilities: CompositorAbilities { CompositorAbilities() }
    public func renderContextChanged(_ context: CompositionContext) {}
    public func cancelAllPendingRequests() {}
}

/// The forms of pictures that a compositor supports.
public struct CompositorAbilities: Equatable, Sendable {
    /// A form of pictures.
    public enum View: Equatable, Sendable {
        /// The samples of the pixel format.
        case planes
        /// Linear light in extended range, where 1.0 is reference white; RGBA, premultiplied.
        case light(VideoRequest.Element = .half)
    }

    /// Whether SDR sources may have wide colour; otherwise they are converted to BT.709.
    public var takesWideColor: Bool
    /// Whether sources may be HDR with any primaries, and so are passed unconverted.
    public var takesHDR: Bool
    /// The form in which the compositor gets the pictures of pads.
    public var sources: View
    /// The form in which it makes frames.
    public var frames: View
    /// The primaries of light; `ofElement` stands for BT.2020.
    public var colorSpace: VideoRequest.ColorSpace

    /// Makes abilities; by default all sources are SDR in BT.709, in planes.
    public init(
        takesWideColor: Bool = false, takesHDR: Bool = false, sources: View = .planes, frames: View = .planes,
        colorSpace: VideoRequest.ColorSpace = .ofElement
    ) {
        self.takesWideColor = takesWideColor
        self.takesHDR = takesHDR
        self.sources = sources
        self.frames = frames
        self.colorSpace = colorSpace
    }
}

/// The canvas on which pictures are composed.
public struct CompositionContext: @unchecked Sendable {
    /// GStreamer's description: pixel format, size, frame rate, pixel aspect ratio, colorimetry, chroma siting.
    public let info: GstVideoInfo
    /// The mastering display; `nil` where the canvas's caps have none.
    public let masteringDisplay: GstVideoMasteringDisplayInfo?
    /// MaxCLL and MaxFALL; `nil` where the canvas's caps have none.
    public let contentLightLevel: GstVideoContentLightLevel?

    /// The size of the canvas in pixels.
    public var width: Int { Int(info.width) }
    public var height: Int { Int(info.height) }
    /// GStreamer's name of the pixel format, such as `P010_10LE`.
    public var name: String { format.name }
    /// GStreamer's name of the colours, such as `bt2100-pq`; empty for colours without a name.
    public var colorimetry: String { format.colorimetry }

    private var format: VideoFormat { VideoFormat(info: info, masteringDisplay: nil, contentLightLevel: nil) }

    init?(_ context: UnsafePointer<GstHdrRenderContext>?) {
        guard let context, let info = context.pointee.info?.pointee else { return nil }
        self.info = info
        masteringDisplay = context.pointee.mastering_display?.pointee
        contentLightLevel = context.pointee.content_light_level?.pointee
    }
}

/// The attachment of a compositor to an element `hdrcompositor`, with the rules of ``VideoTap``: the element owns the
/// compositor, and releases it after its last call; releasing this object does not detach.
public final class VideoCompositing: Sendable {
    private let attachment: Attachment

    /// Attaches a compositor, replacing the element's own blending or what was attached before. May be called on any
    /// thread, in any state; while playing, the compositor takes over at the next picture.
    /// - Parameter element: An element `hdrcompositor`.
    public init(
        _ compositor: some VideoCompositor, on element: UnsafeMutablePointer<GstElement>
    ) throws(TapError) {
        attachment = try Attachment(CompositorBox(compositor), element, .compositor)
    }

    /// Detaches the compositor, unless another one has replaced it; the element then blends again.
    public func detach() { attachment.detach() }
}

/// Keeps a compositor alive for the element's callbacks, whose storage owns it from attaching to finalize.
final class CompositorBox {
    let compositor: any VideoCompositor
    init(_ compositor: any VideoCompositor) { self.compositor = compositor }
}

/// The element's callbacks, which find the box in the compositor's storage.
enum CompositorCallbacks {
    static func all(_ abilities: CompositorAbilities) -> GstHdrCompositorCallbacks {
        var callbacks = GstHdrCompositorCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrCompositorCallbacks>.size)
        callbacks.supports_wide_color_source_frames = abilities.takesWideColor ? 1 : 0
        callbacks.supports_hdr_source_frames = abilities.takesHDR ? 1 : 0
        callbacks.source_view = view(abilities.sources)
        callbacks.frame_view = view(abilities.frames)
        callbacks.color_space =
            switch abilities.colorSpace {
            case .ofElement: GST_HDR_TAP_COLOR_SPACE_DEFAULT
            case .displayP3: GST_HDR_TAP_COLOR_SPACE_DISPLAY_P3
            case .bt2020: GST_HDR_TAP_COLOR_SPACE_BT2020
            case .bt709: GST_HDR_TAP_COLOR_SPACE_BT709
            }
        callbacks.`init` = { compositing, box in compositing?.pointee.storage = box }
        callbacks.finalize = { compositing in
            guard let storage = compositing?.pointee.storage else { return }
            Unmanaged<CompositorBox>.fromOpaque(storage).release()
        }
        callbacks.render_context_changed = { compositing, context in
            guard let context = CompositionContext(context) else { return }
            CompositorCallbacks.compositor(compositing)?.renderContextChanged(context)
        }
        callbacks.start_request = { compositing, request in
            guard let request, let compositor = CompositorCallbacks.compositor(compositing) else { return }
            let held = CompositionRequest(request, compositor.abilities)
            do {
                try compositor.start(held)
            } catch {
                held.fail("\(error)")
            }
        }
        callbacks.cancel_all_pending_requests = {
            CompositorCallbacks.compositor($0)?.cancelAllPendingRequests()
        }
        return callbacks
    }

    private static func view(_ view: CompositorAbilities.View) -> GstHdrTapView {
        switch view {
        case .planes: GST_HDR_TAP_PLANES
        case .light(.half): GST_HDR_TAP_LIGHT_HALF
        case .light(.single): GST_HDR_TAP_LIGHT_FLOAT
        }
    }

    private static func compositor(
        _ compositing: UnsafeMutablePointer<GstHdrCompositing>?
    ) -> (any VideoCompositor)? {
        compositing?.pointee.storage.map { Unmanaged<CompositorBox>.fromOpaque($0).takeUnretainedValue().compositor }
    }
}
