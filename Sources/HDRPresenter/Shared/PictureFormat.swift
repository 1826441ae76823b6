/// The memory formats of pictures.
public enum PictureFormat: CaseIterable, Sendable {
    /// Four binary16 numbers, R lowest.
    case rgba16f
    /// Three 10-bit components with R in the lowest bits, and the 2 bits of A, which are set, in the highest. DRM
    /// `XB30`.
    case rgb10a2
    /// Three 10-bit components with B in the lowest bits. DRM `XR30`, X11 depth 30.
    case bgr10a2
    /// Bytes R, G, B, X. DRM `XB24`.
    case rgba8
    /// Bytes B, G, R, X. DRM `XR24`, X11 depth 24.
    case bgra8

    public var bytesPerPixel: Int { self == .rgba16f ? 8 : 4 }
}
