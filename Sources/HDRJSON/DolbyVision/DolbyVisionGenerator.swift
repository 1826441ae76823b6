import HDRBitstream

/// The data from which RPUs are generated where there are none, in the JSON that the generator of dovi_tool takes.
package struct DolbyVisionGenerator: Equatable, Sendable {
    static let limit = FrameEdits.limit

    package struct Shot: Equatable, Sendable {
        /// The number of pictures.
        package var duration: Int
        /// The blocks that replace those of all pictures.
        package var blocks: [DolbyVisionRPU.Block] = []
        /// Blocks that replace these for some pictures, by their number in the shot.
        package var edits: [(offset: Int, blocks: [DolbyVisionRPU.Block])] = []

        package init(duration: Int, blocks: [DolbyVisionRPU.Block] = []) {
            self.duration = duration
            self.blocks = blocks
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.duration == right.duration && left.blocks == right.blocks
                && left.edits.elementsEqual(right.edits) { $0.offset == $1.offset && $0.blocks == $1.blocks }
        }
    }

    package var profile = DolbyVisionRPU.AuthoredProfile.profile81
    package var version = DolbyVisionRPU.ContentMapping.version40
    /// The version by which level 1 is limited.
    package var level1Version = DolbyVisionRPU.ContentMapping.version40
    /// Whether each picture has scene_refresh_flag, as phones set it.
    package var flagsAllPictures = false
    /// The number of pictures; 0 where it follows from the shots.
    package var length = 0
    package var sourceMinimumPQ: UInt16?
    package var sourceMaximumPQ: UInt16?
    package var level5 = DolbyVisionRPU.Level5()
    package var level6: DolbyVisionRPU.Level6?
    /// The blocks of all pictures.
    package var blocks: [DolbyVisionRPU.Block] = []
    package var shots: [Shot] = []

    package init() {}

    /// The number of pictures.
    package var count: Int { length > 0 ? length : shots.reduce(0) { $0 + $1.duration } }

    /// Generates the RPUs, one after the other.
    /// - Parameter body: called with each RPU, and the number of consecutive pictures that have it.
    package func generate(
        _ body: (DolbyVisionRPU, Int) throws(BitstreamError) -> Void
    ) throws(BitstreamError) {
        let base = base
        let shots = self.shots.isEmpty ? [Shot(duration: length)] : self.shots
        for shot in shots where shot.duration > 0 {
            var common = base
            put(shot.blocks, in: &common)
            var next = 0
            /// Passes on the pictures from `next` up to another one, which have the same metadata except for the flag
            /// of the first.
            func flush(to end: Int) throws(BitstreamError) {
                if next == 0, end > 0 {
                    try body(Self.flagged(common, true), 1)
                    next = 1
                }
                if end > next { try body(Self.flagged(common, flagsAllPictures), end - next) }
                next = max(next, end)
            }
            for edit in shot.edits.sorted(by: { $0.offset < $1.offset }) where edit.offset < shot.duration {
                // Where a picture has several edits, the first one applies.
                guard edit.offset >= next else { continue }
                try flush(to: edit.offset)
                var rpu = common
                put(edit.blocks, in: &rpu)
                try body(Self.flagged(rpu, edit.offset == 0 || flagsAllPictures), 1)
                next = edit.offset + 1
            }
            try flush(to: shot.duration)
        }
    }

    private static func flagged(_ rpu: DolbyVisionRPU, _ isFlagged: Bool) -> DolbyVisionRPU {
        var rpu = rpu
        rpu.displayManagement?.sceneRefreshFlag = isFlagged ? 1 : 0
        return rpu
    }

    /// The RPU with the data that all pictures have. Content mapping 4.0 needs level 9, and gets level 11 with it.
    private var base: DolbyVisionRPU {
        var rpu = DolbyVisionRPU.blank(profile)
        guard var management = rpu.displayManagement else { return rpu }
        management.put(.level5(level5))
        if let level6 { management.put(.level6(level6)) }
        if version == .version40 {
            management.addExtendedMetadata()
            management.put(.level9(.init()))
            var content = DolbyVisionRPU.Level11()
            (content.contentType, content.referenceModeFlag) = (1, true)
            management.put(.level11(content))
        }
        if var signal = management.signal {
            let range = level6?.sourceRange
            if signal.sourceMinimumPQ == 0 { signal.sourceMinimumPQ = range?.minimum ?? 0 }
            if signal.sourceMaximumPQ == 0 { signal.sourceMaximumPQ = range?.maximum ?? 0 }
            signal.sourceMinimumPQ = sourceMinimumPQ ?? signal.sourceMinimumPQ
            signal.sourceMaximumPQ = sourceMaximumPQ ?? signal.sourceMaximumPQ
            management.signal = signal
        }
        rpu.displayManagement = management
        // Levels 5 and 6 have places of their own, and level 254 states the version.
        put(blocks.filter { ![5, 6, 254].contains($0.level) }, in: &rpu)
        return rpu
    }

    private func put(_ blocks: [DolbyVisionRPU.Block], in rpu: inout DolbyVisionRPU) {
        for block in blocks {
            if case .level1(let measured) = block {
                rpu.displayManagement?.put(.level1(.init(measured: measured, for: level1Version)))
            } else {
                rpu.displayManagement?.put(block)
            }
        }
    }
}
