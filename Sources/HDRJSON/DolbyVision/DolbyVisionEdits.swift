import HDRBitstream

/// The changes to the RPUs of a film, in the JSON that the editor of dovi_tool takes. Pictures are counted from 0,
/// before any change.
package struct DolbyVisionEdits: Equatable, Sendable {
    /// dovi_tool's number for the conversion of RPUs to a profile.
    package enum Mode: Int, Sendable {
        case keep = 0
        /// Profile 7 with a minimal enhancement layer.
        case minimalLayer = 1
        /// Profile 8.1; the reshaping of profile 5 and of a full enhancement layer is removed.
        case profile81 = 2
        case profile81OfProfile5 = 3
        case profile84 = 4
        /// Profile 8.1 with unchanged reshaping.
        case profile81WithMapping = 5
    }

    /// Values for ranges of pictures: later ranges take precedence, and any of them over "all".
    struct Ranges<Value: Equatable & Sendable>: Equatable, Sendable {
        var all: Value?
        var list: [(range: ClosedRange<Int>, value: Value)] = []

        static func == (left: Self, right: Self) -> Bool {
            left.all == right.all
                && left.list.elementsEqual(right.list) { $0.range == $1.range && $0.value == $1.value }
        }

        func value(at index: Int) -> Value? { list.last { $0.range.contains(index) }?.value ?? all }
    }

    enum Dropped: String, Sendable, CaseIterable {
        case all
        /// Removes those whose offsets are all zero.
        case zeroes
    }

    package var frames = FrameEdits()
    package var mode = Mode.keep
    package var removesExtendedMetadata = false
    package var removesMapping = false
    package var sourceMinimumPQ: UInt16?
    package var sourceMaximumPQ: UInt16?
    /// Whether the active area becomes the whole picture.
    package var crops = false
    var dropped: Dropped?
    var areas = Ranges<DolbyVisionRPU.Level5>()
    var sceneCuts = Ranges<Bool>()
    var level6: DolbyVisionRPU.Level6?
    /// An index of primaries.
    var level9: UInt8?
    var level11: DolbyVisionRPU.Level11?
    var level255: DolbyVisionRPU.Level255?
    /// The file of RPUs whose `levels` replace those of these RPUs.
    package var source: String?
    package var levels: Set<UInt8> = []
    package var addsExtendedMetadata = false

    package init() {}

    /// Changes an RPU.
    /// - Parameters:
    ///   - index: the index of its picture.
    ///   - other: the RPU that levels are copied from.
    /// - Throws: where its profile cannot be converted in this way.
    package func edit(
        _ rpu: inout DolbyVisionRPU, at index: Int, from other: DolbyVisionRPU? = nil
    ) throws(BitstreamError) {
        if removesExtendedMetadata { rpu.removeExtendedMetadata() }
        try convert(&rpu)
        if removesMapping { rpu.removeMapping() }
        guard var management = rpu.displayManagement else { return }
        if sourceMinimumPQ != nil || sourceMaximumPQ != nil { setSource(&management) }
        if let level6 { management.put(.level6(level6)) }
        if let level9 {
            var level = DolbyVisionRPU.Level9()
            level.sourcePrimaryIndex = level9
            management.put(.level9(level))
        }
        if let level11 { management.put(.level11(level11)) }
        if let level255 { management.put(.level255(level255)) }
        if let cut = sceneCuts.value(at: index) { management.sceneRefreshFlag = cut ? 1 : 0 }
        if crops { management.put(.level5(.init())) }
        if let dropped, dropped == .all || management.level5 == .init() { management.remove(level: 5) }
        if let area = areas.value(at: index) { management.put(.level5(area)) }
        if let other { take(from: other, &management) }
        rpu.displayManagement = management
    }

    private func convert(_ rpu: inout DolbyVisionRPU) throws(BitstreamError) {
        let profile = rpu.signaledProfile
        func check(_ known: [UInt8]) throws(BitstreamError) {
            guard let profile, !known.contains(profile) else { return }
            let names = known.map { "\($0)" }.joined(separator: ", ")
            throw BitstreamError("mode \(mode.rawValue) is for RPUs of profile \(names), and this is one of \(profile)")
        }
        switch mode {
        case .keep: break
        case .minimalLayer:
            try check([7, 8])
            rpu.convertToMinimalLayer()
        case .profile81, .profile81OfProfile5:
            try check([5, 7, 8])
            rpu.convertToProfile81()
        case .profile84: rpu.convertToProfile84()
        case .profile81WithMapping:
            try check([7, 8])
            rpu.convertToProfile81(keepsMapping: true)
        }
    }

    /// Sets the source's luminances. Values that are not given stay, or follow from level 6 where they are zero.
    private func setSource(_ management: inout DolbyVisionRPU.DisplayManagement) {
        guard var signal = management.signal else { return }
        signal.sourceMinimumPQ = sourceMinimumPQ ?? signal.sourceMinimumPQ
        signal.sourceMaximumPQ = sourceMaximumPQ ?? signal.sourceMaximumPQ
        if let range = management.level6?.sourceRange {
            if sourceMinimumPQ == nil, signal.sourceMinimumPQ == 0 { signal.sourceMinimumPQ = range.minimum }
            if sourceMaximumPQ == nil, signal.sourceMaximumPQ == 0 { signal.sourceMaximumPQ = range.maximum }
        }
        management.signal = signal
    }

    private func take(from other: DolbyVisionRPU, _ management: inout DolbyVisionRPU.DisplayManagement) {
        guard let source = other.displayManagement else { return }
        if addsExtendedMetadata, source.extendedBlocks != nil { management.addExtendedMetadata() }
        for block in source.allBlocks where levels.contains(block.level) { management.put(block) }
    }
}
