/// The memory of one picture, for the sink to fill.
public final class PresenterBuffer: @unchecked Sendable {
    public let description: PictureDescription
    public let memory: UnsafeMutableRawPointer
    public let stride: Int
    /// The number by which the presenter identifies the buffer.
    public let token: Int
    public init(description: PictureDescription, memory: UnsafeMutableRawPointer, stride: Int, token: Int) {
        self.description = description
        self.memory = memory
        self.stride = stride
        self.token = token
    }
}
