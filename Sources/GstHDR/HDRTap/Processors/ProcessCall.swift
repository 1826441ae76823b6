/// The frames of one process call, in place in a buffer's memory.
struct ProcessCall {
    let planes: UnsafePointer<UnsafeMutableRawPointer>
    let frames: Int
    /// The index of the first frame in its run, counted in input frames.
    let first: Int
    /// Whether the source has ended: the frames are silence, with which the processor outputs what it still holds.
    let isDraining: Bool
}
