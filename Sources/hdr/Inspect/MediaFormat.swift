import GstBridge
import HDRMetadata
import HDRPipeline

/// Names and numbers of a stream's caps, for reports.
extension HDRPipeline.Structure {
    /// The codec or container for people, such as "MPEG-4 AAC".
    var title: String {
        guard let whole = mediaName else { return name }
        // The report has a separate place for the profile, which is in brackets here.
        return whole.last == ")" ? whole.split(separator: " (", maxSplits: 1).first.map(String.init) ?? whole : whole
    }

    /// A ratio; `nil` where it is absent or not a number.
    func fraction(_ field: String) -> HDRMetadata.Fraction? {
        guard let found: HDRPipeline.Fraction = self[field], found.denominator > 0 else { return nil }
        return HDRMetadata.Fraction(found.numerator, found.denominator)
    }

    /// The bytes of a buffer, such as `codec_data`.
    func bytes(_ field: String) -> [UInt8]? { self[field, as: Buffer.self].flatMap { $0.withBytes { Array($0) } } }

    /// The code points of `colorimetry`; `nil` where it is absent.
    var color: ColorDescription? { self["colorimetry"].flatMap { ColorDescription(colorimetry: $0) } }
}
