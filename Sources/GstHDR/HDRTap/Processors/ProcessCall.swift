/// The frames of one process call, in place in a buffer's memory.
struct ProcessCall {
    let planes: UnsafePointer<UnsafeMutableRawPointer>
    let frames: Int
    /// The index of the first frame in its run, among the frames that go in.
    let first: Int
    /// Whether the source has ended: the frames are silence, which makes the processor give what it still holds.
    let isDraining: Bool
}
