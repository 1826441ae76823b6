/// The memory formats of pictures.
public enum PictureFormat: CaseIterable, Sendable {
    /// Four binary16 numbers, R lowest.
    case rgba16f
    /// 10 bits each, R lowest, the 2 bits of A highest (set). DRM `XB30`.
    case rgb10a2
    /// 10 bits each, B lowest. DRM `XR30`, X11 depth 30.
    case bgr10a2
    /// Bytes R, G, B, X. DRM `XB24`.
    case rgba8
    /// Bytes B, G, R, X. DRM `XR24`, X11 depth 24.
    case bgra8

    public var bytesPerPixel: Int { self == .rgba16f ? 8 : 4 }
}
