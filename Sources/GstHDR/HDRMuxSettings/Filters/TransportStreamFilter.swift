import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer

/// Completes the program map of the transport stream that the muxer writes.
final class TransportStreamFilter: BinFilter, @unchecked Sendable {
    private let owner: ContainerOwner
    private var rewriter = TransportStreamRewriter()
    private var hasBegun = false

    init(_ owner: ContainerOwner) { self.owner = owner }

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
            owner.begun()
            for notice in rewriter.notices { warning("\(notice)") }
            if let samples = rewriter.samples { owner.written(samples) }
            return push(event)
        default: return push(event)
        }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if !hasBegun {
            hasBegun = true
            owner.begun()
        }
        guard let bytes = buffer.withBytes({ rewriter.rewrite($0, owner.metadata) }) ?? nil,
            let changed = buffer.replaced(by: bytes)
        else { return push(buffer) }
        gst_buffer_unref(buffer)
        return push(changed)
    }
}
