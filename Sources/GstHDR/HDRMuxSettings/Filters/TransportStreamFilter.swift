import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer

/// Completes the program map of the transport stream that the muxer writes.
final class TransportStreamFilter: BinFilter, @unchecked Sendable {
    /// What the program map shall say.
    private let metadata: () -> ContainerMetadata
    /// Called for the first byte and at the end of the stream.
    private let begun: () -> Void
    /// Called at the end of the stream with the samples of each stream; not called where they cannot be counted.
    private let written: ([TrackSamples]) -> Void
    private var rewriter = TransportStreamRewriter()
    private var hasBegun = false

    init(
        begun: @escaping () -> Void, metadata: @escaping () -> ContainerMetadata,
        written: @escaping ([TrackSamples]) -> Void
    ) {
        self.begun = begun
        self.metadata = metadata
        self.written = written
    }

    override func stop() {
        rewriter = TransportStreamRewriter()
        hasBegun = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            // The muxer's stream header would be the program map before it was completed.
            return pushCaps(event, without: "streamheader")
        case GST_EVENT_EOS:
            begun()
            for notice in rewriter.notices { warning("\(notice)") }
            if let samples = rewriter.samples { written(samples) }
            return push(event)
        default: return push(event)
        }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if !hasBegun {
            hasBegun = true
            begun()
        }
        guard let bytes = buffer.withBytes({ rewriter.rewrite($0, metadata) }) ?? nil,
            let changed = buffer.replaced(by: bytes)
        else { return push(buffer) }
        gst_buffer_unref(buffer)
        return push(changed)
    }
}
