import HDRMetadata

/// Chooses the dynamic range for sources of several kinds in one picture or on one timeline.
///
/// HLG wins over PQ, both over SDR, tagged over untagged, and metadata over none. Among sources of one dynamic range
/// the wider primaries win, and among these video's transfer over that of still pictures. The order of the sources does
/// not matter, and a result mixed with its own sources is the same result.
package struct DynamicRangeMixing: Equatable, Sendable {
    /// One source.
    package struct Source: Equatable, Sendable {
        /// The colour; `nil`, or 2/2/2, for untagged sources, which are taken for BT.709.
        package var color: ColorDescription?
        package var metadata: StaticMetadata

        package init(color: ColorDescription?, metadata: StaticMetadata = .none) {
            self.color = color
            self.metadata = metadata
        }
    }

    /// The common colour; `nil` where no source is tagged. Range and chroma location are those that all sources of
    /// these primaries, transfer and matrix have in common, or else narrow range and no location.
    package var target: ColorDescription?
    /// The metadata of the sources whose light is not converted, which are those of the target's dynamic range: the
    /// mastering display with the highest peak and the lowest black of all; the highest MaxCLL and the highest MaxFALL.
    /// SDR has no metadata.
    package var metadata: StaticMetadata
    /// Indices of the sources that must be converted to the target.
    package var converted: [Int]

    package init(_ sources: [Source]) {
        let colors = sources.map { ColorProperties($0.color) }
        let best = colors.compactMap { $0 }.max { Self.rank($0) < Self.rank($1) }
        guard let best else {
            (target, metadata, converted) = (nil, .none, [])
            return
        }
        var result = best.description(chromaLocation: nil)
        // The range of R'G'B' has no relation to that of Y'CbCr.
        let same = zip(sources, colors).filter { $1 == best && $0.color?.matrix == best.matrix }.compactMap(\.0.color)
        if let first = same.first {
            result.isFullRange = same.allSatisfy { $0.isFullRange == first.isFullRange } ? first.isFullRange : false
            result.chromaLocation =
                same.allSatisfy { $0.chromaLocation == first.chromaLocation } ? first.chromaLocation : nil
        }
        target = result
        converted = colors.indices.filter { (colors[$0] ?? .bt709) != best }
        let range = best.dynamicRange
        let staying = zip(sources, colors).filter { range.isHDR && $1?.dynamicRange == range }
        metadata = Self.largest(of: staying.map(\.0.metadata))
    }

    /// The precedence of a colour, compared number by number; larger wins. The last numbers only make the choice
    /// independent of the order of sources.
    private static func rank(_ color: ColorProperties) -> [Int] {
        let gamut =
            switch color.primaries {
            case 9: 4
            case 11, 12: 3
            case 1: 2
            case 5, 6: 1
            default: 0
            }
        // Video uses BT.709, BT.601 and BT.2020; sRGB and pure gammas are those of still pictures (ITU-T H.273, table
        // 3).
        let isVideo = [1, 6, 14, 15].contains(color.transfer) ? 1 : 0
        return [
            color.dynamicRange.precedence, gamut, isVideo, Int(color.primaries), Int(color.matrix),
            Int(color.transfer),
        ]
    }

    private static func largest(of all: [StaticMetadata]) -> StaticMetadata {
        let displays = all.compactMap(\.masteringDisplay).filter { $0.defect == nil }
        var display = displays.max { order($0).lexicographicallyPrecedes(order($1)) }
        if let black = displays.map(\.minimum).min() { display?.minimum = black }
        let levels = all.compactMap(\.contentLightLevel).filter { $0.defect == nil }
        var level: ContentLightLevel?
        if let maximum = levels.map(\.maximum).max(), let average = levels.map(\.frameAverage).max() {
            level = ContentLightLevel(maximum: maximum, frameAverage: average)
        }
        return StaticMetadata(masteringDisplay: display, contentLightLevel: level)
    }

    /// The order of displays by peak, then by chromaticities.
    private static func order(_ display: MasteringDisplay) -> [UInt32] {
        [display.maximum]
            + [display.red, display.green, display.blue, display.white].flatMap { [UInt32($0.x), UInt32($0.y)] }
    }
}

extension [Int] {
    fileprivate static func < (a: [Int], b: [Int]) -> Bool { a.lexicographicallyPrecedes(b) }
}
