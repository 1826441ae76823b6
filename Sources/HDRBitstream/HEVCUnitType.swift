/// Types of NAL units: H.265 table 7-1.
package enum HEVCUnitType {
    package static let intraRandomAccess: ClosedRange<UInt8> = 16...23
    /// Slices of pictures.
    package static let slices: ClosedRange<UInt8> = 0...31
    package static let vps: UInt8 = 32
    package static let sps: UInt8 = 33
    package static let pps: UInt8 = 34
    package static let parameterSets = vps...pps
    package static let delimiter: UInt8 = 35
    package static let endOfSequence: UInt8 = 36
    package static let endOfBitstream: UInt8 = 37
    package static let prefixSEI: UInt8 = 39
    package static let suffixSEI: UInt8 = 40
    /// Dolby Vision's metadata and enhancement layer, of the types that the standard leaves free.
    package static let dolbyVisionRPU: UInt8 = 62
    package static let dolbyVisionLayer: UInt8 = 63
}
