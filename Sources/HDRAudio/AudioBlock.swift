/// Planar samples of one process call, in double precision.
public struct AudioBlock {
    public let channels: Int
    public let frames: Int
    /// One plane of `frames` samples for each channel.
    public let planes: UnsafePointer<UnsafeMutablePointer<Double>>

    @_noLocks public init(channels: Int, frames: Int, planes: UnsafePointer<UnsafeMutablePointer<Double>>) {
        self.channels = channels
        self.frames = frames
        self.planes = planes
    }
}
