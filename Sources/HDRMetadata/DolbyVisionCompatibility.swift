/// What a Dolby Vision base layer is without its metadata: bl_signal_compatibility_id ("Dolby Vision Streams Within the
/// ISO Base Media File Format" section 3.2).
package enum DolbyVisionCompatibility {
    /// - Parameter transfer: the transfer function of the base layer, a code point of H.273.
    /// - Returns: 1 for HDR10, 2 for SDR, 4 for HLG, 0 for others.
    package static func identifier(transfer: UInt8) -> UInt8 {
        switch transfer {
        case 16: 1
        case 1, 6, 14, 15: 2
        case 18: 4
        default: 0
        }
    }
}
