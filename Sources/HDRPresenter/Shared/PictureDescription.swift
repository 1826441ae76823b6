/// What is shown: size and meaning of the buffers that follow.
public struct PictureDescription: Equatable, Sendable {
    public var width: Int
    public var height: Int
    public var format: PictureFormat
    public var encoding: PictureEncoding
    /// The light of the content after tone mapping, in cd/m² on the display's own scale: what mastering metadata says.
    public var contentPeak: Double
    public var maxCLL: Double?
    public var maxFALL: Double?

    public init(
        width: Int, height: Int, format: PictureFormat, encoding: PictureEncoding, contentPeak: Double,
        maxCLL: Double? = nil, maxFALL: Double? = nil
    ) {
        self.width = width
        self.height = height
        self.format = format
        self.encoding = encoding
        self.contentPeak = contentPeak
        self.maxCLL = maxCLL
        self.maxFALL = maxFALL
    }
}
