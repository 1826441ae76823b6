import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// The Swift half of the element `hdrsrc`: a bin that reads a file's tracks with `parsebin`, adds or corrects what
/// GStreamer's demuxers lose, and adds its pads when all of them are known.
final class HDRSrc: ElementObject, @unchecked Sendable {
    static var errorCode: MessageCode { .stream() }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrSrc>
    let log: Log
    let settings = Locked(Settings())
    /// The file that is played; `nil` in READY and below.
    let file = Locked<SourceFile?>(nil)
    let progress = Locked(Progress())
    /// The elements in the bin. The thread that builds and the one that stops never use it at the same time, because
    /// stopping begins when streaming has ended.
    let inside = Locked(Inside())
    let facts = Locked<Facts?>(nil)
    /// The number of chapters in the file.
    let chapters = Locked(0)
    /// The data with which the pads wait to be shown.
    let waiting = Locked<Waiting?>(nil)
    /// Media types for which a plugin is missing.
    let missing = Locked<[String]>([])
    let readerWatch = ReaderWatch()

    /// The progress from opening the file to playing.
    struct Progress {
        enum Phase { case reading, building, built, seeking, exposed, playing }
        var phase = Phase.reading
        /// Whether the reader is at the time where playback begins.
        var isAtStart = false
        /// The sequence number of the seek to that time.
        var seek: guint32?
        /// Whether an error has been posted; later ones are its consequences.
        var hasFailed = false
    }

    struct Waiting: @unchecked Sendable {
        let plan: Plan
        let video: VideoFacts?
        let metadata: DynamicMetadata?
        let decodes: Bool
    }

    struct Inside: @unchecked Sendable {
        var elements: [UnsafeMutablePointer<GstElement>] = []
        var tracks: [SourceTrack] = []
        var branches: [Branch] = []
        var durations = ContainerDurations()
    }

    /// A track and its elements up to a pad of the bin.
    final class Branch: @unchecked Sendable {
        let name: String
        let track: SourceTrack
        let exit: StreamFilter
        /// The exit's source pad, a reference of which is owned here.
        let source: UnsafeMutablePointer<GstPad>
        /// The bin's pad, which the bin owns; `nil` before it is shown.
        let pad = Locked(UncheckedSendable<UnsafeMutablePointer<GstPad>?>(nil))
        let isReady = Locked(false)
        /// Whether the stream has ended without data.
        let isOver = Locked(false)
        let probe = Locked<gulong>(0)

        init(_ name: String, _ track: SourceTrack, _ exit: StreamFilter, _ source: UnsafeMutablePointer<GstPad>) {
            self.name = name
            self.track = track
            self.exit = exit
            self.source = source
        }

        deinit { gst_object_unref(source) }

        var isVideo: Bool { track.kind == .video }
        var isLinked: Bool { pad.withLock { $0.value.map { gst_pad_is_linked($0) != 0 } ?? false } }
    }

    init(element: UnsafeMutablePointer<GstHdrSrc>) {
        self.element = element
        log = Log(category: gst_hdr_src_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    var bin: UnsafeMutablePointer<GstBin> { element.asGstBin }
    var branches: [Branch] { inside.withLock { $0.branches } }

    /// Posts an error, unless there has been one.
    func fail(_ failure: SourceFailure) {
        let isFirst = progress.withLock { progress in
            defer { progress.hasFailed = true }
            return !progress.hasFailed
        }
        if isFirst { error(failure.text, failure.code) }
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_src_new(_ element: UnsafeMutablePointer<GstHdrSrc>!) -> gpointer! { HDRSrc(element: element).impl }

@c @implementation
func hdr_src_free(_ impl: gpointer!) { HDRSrc.free(impl) }

@c @implementation
func hdr_src_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    HDRSrc.with(impl) { $0.setProperty(GstHdrSrcProp(id), value) }
}

@c @implementation
func hdr_src_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    HDRSrc.with(impl) { $0.getProperty(GstHdrSrcProp(id), value) }
}

@c @implementation
func hdr_src_start(_ impl: gpointer!) -> gboolean { HDRSrc.with(impl) { $0.start() } ? 1 : 0 }

@c @implementation
func hdr_src_stop(_ impl: gpointer!) { HDRSrc.with(impl) { $0.stop() } }

@c @implementation
func hdr_src_query(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gboolean {
    HDRSrc.with(impl) { $0.answer(query) } ? 1 : 0
}

@c @implementation
func hdr_src_explain(
    _ impl: gpointer!, _ message: UnsafeMutablePointer<GstMessage>!
) -> UnsafeMutablePointer<GstMessage>! {
    HDRSrc.with(impl) { $0.explain(message) }
}
