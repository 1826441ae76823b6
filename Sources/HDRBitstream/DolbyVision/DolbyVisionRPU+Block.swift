extension DolbyVisionRPU {
    /// A block of metadata for display management: ext_metadata_block().
    package enum Block: Equatable, Sendable {
        case level1(Level1)
        case level2(Level2)
        case level3(Level3)
        case level4(Level4)
        case level5(Level5)
        case level6(Level6)
        case level8(Level8)
        case level9(Level9)
        case level10(Level10)
        case level11(Level11)
        case level254(Level254)
        case level255(Level255)
        /// A block of an unknown level, or one whose size or padding is not that of its level.
        case other(level: UInt8, bytes: [UInt8])

        package var level: UInt8 {
            switch self {
            case .other(let level, _): level
            default: content?.number ?? 0
            }
        }

        /// Blocks with this content mapping 4.0 has, the others 2.9.
        static func isExtended(_ level: UInt8) -> Bool { [3, 8, 9, 10, 11, 254].contains(level) }

        /// The sort key of a block: by its level, then by its target.
        var order: (UInt8, UInt16) {
            switch self {
            case .level2(let value): (2, value.targetMaximumPQ)
            case .level8(let value): (8, UInt16(value.targetDisplayIndex))
            case .level10(let value): (10, UInt16(value.targetDisplayIndex))
            default: (level, 0)
            }
        }

        private var content: (any Level)? {
            switch self {
            case .level1(let value): value
            case .level2(let value): value
            case .level3(let value): value
            case .level4(let value): value
            case .level5(let value): value
            case .level6(let value): value
            case .level8(let value): value
            case .level9(let value): value
            case .level10(let value): value
            case .level11(let value): value
            case .level254(let value): value
            case .level255(let value): value
            case .other: nil
            }
        }

        init(level: UInt8, bytes: [UInt8]) {
            let known: Block? =
                switch level {
                case 1: Level1(block: bytes).map(Block.level1)
                case 2: Level2(block: bytes).map(Block.level2)
                case 3: Level3(block: bytes).map(Block.level3)
                case 4: Level4(block: bytes).map(Block.level4)
                case 5: Level5(block: bytes).map(Block.level5)
                case 6: Level6(block: bytes).map(Block.level6)
                case 8: Level8(block: bytes).map(Block.level8)
                case 9: Level9(block: bytes).map(Block.level9)
                case 10: Level10(block: bytes).map(Block.level10)
                case 11: Level11(block: bytes).map(Block.level11)
                case 254: Level254(block: bytes).map(Block.level254)
                case 255: Level255(block: bytes).map(Block.level255)
                default: nil
                }
            self = known ?? .other(level: level, bytes: bytes)
        }

        private func bytes() throws(BitstreamError) -> [UInt8] {
            if case .other(_, let bytes) = self { return bytes }
            return try content?.block() ?? []
        }

        /// ext_metadata_block_length and ext_metadata_block_level, then the bytes of the block.
        private mutating func code(_ coder: inout RPUCoder) throws(BitstreamError) {
            var content = coder.isReading ? [] : try bytes()
            var (count, number) = (UInt32(truncatingIfNeeded: content.count), level)
            try coder.ue(&count, "ext_block_length")
            try coder.u(&number, 8, "ext_block_level")
            try coder.bytes(&content, count: Int(count))
            if coder.isReading { self = Block(level: number, bytes: content) }
        }

        /// num_ext_blocks, zeros up to a whole byte, and the blocks.
        static func code(_ coder: inout RPUCoder, list: inout [Block]) throws(BitstreamError) {
            var count = UInt32(truncatingIfNeeded: list.count)
            try coder.ue(&count, "num_ext_blocks")
            try coder.align("dm_alignment_zero_bit")
            if coder.isReading {
                // A block has nine bits at least.
                guard Int(count) <= coder.remaining / 9 else {
                    throw coder.failure("has \(count) blocks of metadata, and ends too early for them")
                }
                list = []
                for _ in 0..<count {
                    var block = Block.other(level: 0, bytes: [])
                    try block.code(&coder)
                    list.append(block)
                }
            } else {
                for var block in list { try block.code(&coder) }
            }
        }
    }

    /// The fields of a level, in the order of the bitstream.
    protocol Level: Equatable, Sendable {
        init()
        var number: UInt8 { get }
        /// Bytes of the block; fields and zeros fill it.
        var size: Int { get }
        /// - Parameter size: the number of bytes of the block that is read.
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError)
    }
}

extension DolbyVisionRPU.Level {
    /// Reads a block; `nil` where writing it would not result in the same bytes.
    init?(block: [UInt8]) {
        self.init()
        var coder = RPUCoder(reading: block)
        do { try code(&coder, size: block.count) } catch { return nil }
        guard size == block.count else { return nil }
        // The fields of each level end in the last byte of its block.
        guard coder.remaining < 8, (try? coder.align("ext_dm_alignment_zero_bit")) != nil else { return nil }
    }

    func block() throws(BitstreamError) -> [UInt8] {
        var coder = RPUCoder()
        var copy = self
        try copy.code(&coder, size: size)
        return coder.writer.bytes
    }
}
