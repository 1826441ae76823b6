/// The size, the format and the encoding of the pictures that follow.
public struct PictureDescription: Equatable, Sendable {
    public var width: Int
    public var height: Int
    public var format: PictureFormat
    public var encoding: PictureEncoding
    /// The peak of the content after tone mapping, in cd/m² on the display's own scale, for mastering metadata. The
    /// light levels below have the same unit.
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
