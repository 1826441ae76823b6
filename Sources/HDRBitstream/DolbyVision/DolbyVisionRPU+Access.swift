// Accessors of blocks by their level. Setting a block replaces the present one; new blocks are inserted in the order of
// levels.
extension DolbyVisionRPU.DisplayManagement {
    private typealias Block = DolbyVisionRPU.Block

    package var level1: DolbyVisionRPU.Level1? {
        get { first { if case .level1(let value) = $0 { value } else { nil } } }
        set { set(1, newValue.map { [.level1($0)] }) }
    }

    /// One for each target peak.
    package var level2: [DolbyVisionRPU.Level2] {
        get { all { if case .level2(let value) = $0 { value } else { nil } } }
        set { set(2, newValue.map { .level2($0) }) }
    }

    package var level3: DolbyVisionRPU.Level3? {
        get { first { if case .level3(let value) = $0 { value } else { nil } } }
        set { set(3, newValue.map { [.level3($0)] }) }
    }

    package var level4: DolbyVisionRPU.Level4? {
        get { first { if case .level4(let value) = $0 { value } else { nil } } }
        set { set(4, newValue.map { [.level4($0)] }) }
    }

    package var level5: DolbyVisionRPU.Level5? {
        get { first { if case .level5(let value) = $0 { value } else { nil } } }
        set { set(5, newValue.map { [.level5($0)] }) }
    }

    package var level6: DolbyVisionRPU.Level6? {
        get { first { if case .level6(let value) = $0 { value } else { nil } } }
        set { set(6, newValue.map { [.level6($0)] }) }
    }

    /// One for each target display.
    package var level8: [DolbyVisionRPU.Level8] {
        get { all { if case .level8(let value) = $0 { value } else { nil } } }
        set { set(8, newValue.map { .level8($0) }) }
    }

    package var level9: DolbyVisionRPU.Level9? {
        get { first { if case .level9(let value) = $0 { value } else { nil } } }
        set { set(9, newValue.map { [.level9($0)] }) }
    }

    /// One for each target display.
    package var level10: [DolbyVisionRPU.Level10] {
        get { all { if case .level10(let value) = $0 { value } else { nil } } }
        set { set(10, newValue.map { .level10($0) }) }
    }

    package var level11: DolbyVisionRPU.Level11? {
        get { first { if case .level11(let value) = $0 { value } else { nil } } }
        set { set(11, newValue.map { [.level11($0)] }) }
    }

    package var level254: DolbyVisionRPU.Level254? {
        get { first { if case .level254(let value) = $0 { value } else { nil } } }
        set { set(254, newValue.map { [.level254($0)] }) }
    }

    /// Removes all blocks of a level.
    package mutating func remove(level: UInt8) { set(level, []) }

    /// All blocks, in the order of the bitstream.
    package var allBlocks: [DolbyVisionRPU.Block] { blocks + (extendedBlocks ?? []) }

    /// Puts a block in the place of that of its level, or of levels 2, 8 and 10 of that of its target, or adds it.
    /// Where there is no content mapping 4.0, its levels are left out.
    package mutating func put(_ block: DolbyVisionRPU.Block) {
        guard Block.isExtended(block.level) else {
            Self.put(block, in: &blocks)
            return
        }
        guard var list = extendedBlocks else { return }
        Self.put(block, in: &list)
        extendedBlocks = list
    }

    private static func put(_ block: DolbyVisionRPU.Block, in list: inout [DolbyVisionRPU.Block]) {
        if let place = list.firstIndex(where: { $0.order == block.order }) {
            list[place] = block
        } else {
            list.append(block)
            // The sort is stable.
            list.sort { $0.order < $1.order }
        }
    }

    /// Begins content mapping 4.0 with its version in level 254, where there is none.
    package mutating func addExtendedMetadata() {
        if extendedBlocks == nil { extendedBlocks = [.level254(DolbyVisionRPU.Level254())] }
    }

    private func first<Value>(_ value: (DolbyVisionRPU.Block) -> Value?) -> Value? {
        for block in blocks { if let found = value(block) { return found } }
        for block in extendedBlocks ?? [] { if let found = value(block) { return found } }
        return nil
    }

    private func all<Value>(_ value: (DolbyVisionRPU.Block) -> Value?) -> [Value] {
        blocks.compactMap(value) + (extendedBlocks ?? []).compactMap(value)
    }

    /// Sets the blocks of a level. The first block of content mapping 4.0 adds its version in level 254.
    private mutating func set(_ level: UInt8, _ new: [DolbyVisionRPU.Block]?) {
        let new = new ?? []
        guard Block.isExtended(level) else {
            Self.set(&blocks, level, new)
            return
        }
        if extendedBlocks == nil, new.isEmpty { return }
        var list = extendedBlocks ?? (level == 254 ? [] : [.level254(DolbyVisionRPU.Level254())])
        Self.set(&list, level, new)
        extendedBlocks = list.isEmpty ? nil : list
    }

    /// Replaces blocks. If their number stays the same they keep their places; otherwise the list is sorted.
    private static func set(
        _ list: inout [DolbyVisionRPU.Block], _ level: UInt8, _ new: [DolbyVisionRPU.Block]
    ) {
        let places = list.indices.filter { list[$0].level == level }
        if places.count == new.count {
            for (place, block) in zip(places, new) { list[place] = block }
            return
        }
        list.removeAll { $0.level == level }
        list += new
        // The sort is stable.
        list.sort { $0.order < $1.order }
    }
}
