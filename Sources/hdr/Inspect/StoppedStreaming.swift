import GstBridge
import HDRPipeline

extension Pipeline {
    /// Whether threads have read, and none goes on.
    var hasStoppedStreaming: Bool { root.pointer.asGstBin.hasStoppedStreaming }
}
