/// Levels of Report ITU-R BT.2408, the guidance on HDR television production.
public enum BT2408 {
    /// The luminance of SDR white (HDR Reference White) in HDR, in cd/m².
    public static let referenceWhite = 203.0
}
