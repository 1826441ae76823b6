import Testing

@testable import HDRBitstream

@Suite struct DolbyVisionRPUEditTests {
    private typealias Management = DolbyVisionRPU.DisplayManagement

    private let rpu: DolbyVisionRPU
    private let management: Management

    init() throws {
        rpu = try DolbyVisionRPU(payload: DolbyVisionRPUFixture.profile81)
        management = try #require(rpu.displayManagement)
    }

    @Test func blocksOfALevel() throws {
        var edited = management
        edited.level5 = .init(left: 0, right: 0, top: 138, bottom: 138)
        edited.level2 = ([3079, 2081] as [UInt16]).map {
            var trim = DolbyVisionRPU.Level2()
            trim.targetMaximumPQ = $0
            return trim
        }
        #expect(edited.blocks.map(\.level) == [1, 2, 2, 5, 6] && edited.level2.map(\.targetMaximumPQ) == [2081, 3079])
        #expect(edited.extendedBlocks == nil)
        edited.level1?.maximumPQ = 3500
        #expect(edited.level1 == .init(minimumPQ: 1, maximumPQ: 3500, averagePQ: 1200))
        edited.level2 = []
        edited.level5 = .init()
        #expect(edited.blocks.map(\.level) == [1, 5, 6] && edited.level5 == .init())
        edited.remove(level: 5)
        edited.level1 = management.level1
        #expect(edited == management)
        #expect(try bytes(edited) == DolbyVisionRPUFixture.profile81)
    }

    @Test func contentMapping40BeginsWithItsFirstBlock() throws {
        var edited = management
        edited.level11 = nil
        #expect(edited == management)
        edited.level11 = .init()
        edited.level3 = .init()
        #expect(edited.extendedBlocks == [.level3(.init()), .level11(.init()), .level254(.init())])
        #expect(try DolbyVisionRPU(payload: bytes(edited)).displayManagement == edited)
        for level in [3, 11, 254] as [UInt8] { edited.remove(level: level) }
        #expect(edited == management)
    }

    @Test func anOrderThatIsNotTheUsualOneStays() {
        var edited = management
        edited.blocks.reverse()
        edited.level1?.averagePQ = 1300
        #expect(edited.blocks.map(\.level) == [6, 1])
    }

    @Test func profile5BecomesProfile81() throws {
        var converted = rpu
        converted.header.profile = 0
        converted.header.sequence?.isBaseLayerFullRange = true
        converted.displayManagement?.signal?.colorSpace = 2
        converted.displayManagement?.signal?.yccToRGB[0] = 8192
        #expect(converted.signaledProfile == 5 && converted.profileName(transfer: 16) == "5")
        converted.convertToProfile81()
        #expect(converted == rpu)
        converted.convertToProfile84()
        #expect(converted.mapping == .hlg && converted.displayManagement == management)
    }

    /// Values that the bitstream cannot hold, and what the error says of them.
    private static let impossible: [(field: String, edit: @Sendable (inout DolbyVisionRPU) -> Void)] = [
        ("min_pq 4096", { $0.displayManagement?.level1?.minimumPQ = 4096 }),
        (
            "active_area_top_offset 8192",
            { $0.displayManagement?.level5 = .init(left: 0, right: 0, top: 8192, bottom: 0) }
        ),
        ("source_diagonal 1024", { $0.displayManagement?.signal?.sourceDiagonal = 1024 }),
        ("matrices", { $0.displayManagement?.signal?.rgbToLMS.removeLast() }),
        ("2 reshaping curves", { $0.mapping?.curves.removeLast() }),
        ("2 pieces and 2 pivots", { $0.mapping?.curves[0].pieces.append(.polynomial([0, 0])) }),
        ("1 coefficients", { $0.mapping?.curves[0].pieces[0] = .polynomial([0]) }),
        ("7 coefficients", { $0.mapping?.curves[0].pieces[0] = .mmr(constant: 0, coefficients: []) }),
        ("only the last has one", { $0.mapping?.curves[0].pieces[0] = .linearInterpolation(start: 0, end: nil) }),
        ("poly_coef", { $0.mapping?.curves[0].pieces[0] = .polynomial([0, .max]) }),
        ("do not ascend", { $0.mapping?.curves[1].pivots = [1023, 0] }),
        ("pred_pivot_value 2000", { $0.mapping?.curves[1].pivots = [0, 2000] }),
        ("bl_bit_depth_minus8", { $0.header.sequence?.baseLayerBitDepth = 7 }),
        ("rpu_format 2048", { $0.header.format = 2048 }),
        ("disable_residual_flag", { $0.header.sequence?.disableResidualFlag = false }),
        ("compression", { $0.displayManagement?.signal = nil }),
        ("unknown bytes", { $0.unknownBytes = [1, 2] }),
        ("level 254", { $0.displayManagement?.extendedBlocks = [] }),
        (
            "6 are needed",
            {
                var trims = DolbyVisionRPU.Level8()
                trims.hueVector = [1]
                $0.displayManagement?.level8 = [trims]
            }
        ),
    ]

    @Test(arguments: Self.impossible.indices) func impossibleValues(index: Int) {
        var edited = rpu
        Self.impossible[index].edit(&edited)
        let error = #expect(throws: BitstreamError.self) { try edited.payload() }
        #expect(error?.message.contains(Self.impossible[index].field) == true, "\(error?.message ?? "")")
    }

    private func bytes(_ management: Management) throws -> [UInt8] {
        var edited = rpu
        edited.displayManagement = management
        return try edited.payload()
    }
}
