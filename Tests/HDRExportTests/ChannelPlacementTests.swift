import Testing

@testable import HDRExport

/// Masks are GStreamer's: left 0, right 1, centre 2, LFE 3, rear 4 and 5, rear centre 8, sides 10 and 11.
@Suite struct ChannelPlacementTests {
    private func plan(_ channels: Int, _ mask: UInt64) throws -> AudioPlan {
        try ExportPlanner(preset: .hevcHighestQuality, fileType: .mov).plan(
            audio: AudioSource(sampleRate: 48000, channels: channels, channelMask: mask))
    }

    /// Layouts that AAC has, and those whose channels are each in one of them.
    @Test(
        arguments: [
            (1, 0, "mono", nil, nil), (2, 0x3, "stereo", nil, nil), (3, 0x7, "3.0", nil, nil),
            (4, 0x107, "4.0", nil, nil),
            (5, 0x37, "5.0", nil, nil), (6, 0x3f, "5.1", nil, nil),
            // The sides for the rear.
            (5, 0xc07, "5.0", 0x37, nil), (6, 0xc0f, "5.1", 0x3f, nil),
            // Quad, quad at the sides, 2.1 and 3.1.
            (4, 0x33, "5.0", nil, [0, 1, nil, 2, 3]), (4, 0xc03, "5.0", nil, [0, 1, nil, 2, 3]),
            (3, 0xb, "5.1", nil, [0, 1, nil, 2, nil, nil]), (4, 0xf, "5.1", nil, [0, 1, 2, 3, nil, nil]),
            // Without positions, and with odd ones.
            (2, 0, "stereo", 0x3, nil), (3, 0, "3.0", 0x7, nil), (6, 0, "5.1", 0x3f, nil),
            (2, 0x30, "stereo", 0x3, nil),
            (4, 0, "5.0", 0x33, [0, 1, nil, 2, 3]),
            (2, 0x30000, "stereo", 0x3, nil), (1, 0x8, "mono", 0, nil),
        ] as [(Int, UInt64, String, UInt64?, [Int?]?)])
    func channelsKeepTheirSamples(
        _ channels: Int, _ mask: UInt64, _ layout: String, _ takenFor: UInt64?, _ matrix: [Int?]?
    ) throws {
        let plan = try plan(channels, mask)
        let placement = try #require(plan.placement)
        #expect(placement.layout.name == layout)
        #expect(plan.channels == placement.layout.channels && plan.channelMask == placement.layout.channelMask)
        #expect(placement.takenFor == takenFor && placement.matrix == self.matrix(matrix, of: channels))
        #expect(placement.warning == nil && !plan.summary.contains("mixed"))
        #expect(placement.applies(channels: channels, channelMask: mask))
        #expect(!placement.applies(channels: channels + 1, channelMask: mask))
    }

    /// The matrix of the source's channels for the layout's.
    private func matrix(_ channels: [Int?]?, of count: Int) -> [[Double]]? {
        channels.map { $0.map { channel in (0..<count).map { $0 == channel ? 1 : 0 } } }
    }

    /// 4.1, 6.0, 6.1, 7.1 and sixteen channels; without positions, 6.1 and 7.1 are what GStreamer takes them for.
    @Test(
        arguments: [
            (5, 0x10f, nil), (6, 0xd07, nil), (7, 0xd0f, nil), (8, 0xc3f, nil), (16, 0xffff, nil), (7, 0, 0x13f),
            (8, 0, 0xc3f),
        ] as [(Int, UInt64, UInt64?)])
    func othersAreMixed(_ channels: Int, _ mask: UInt64, _ takenFor: UInt64?) throws {
        let plan = try plan(channels, mask)
        #expect(plan.channels == 6 && plan.channelMask == 0x3f)
        #expect(plan.placement?.takenFor == takenFor && plan.placement?.matrix == nil)
        #expect(
            plan.placement?.warning
                == "its \(channels) channels are mixed to 5.1, because AAC has no place for each of them")
        #expect(plan.summary.hasSuffix("kbit/s, mixed"))
    }

    /// A centre and a subwoofer, and a left channel and a centre.
    @Test(arguments: [0xc, 0x5] as [UInt64]) func whatIsNoPairIsMixed(_ mask: UInt64) throws {
        let placement = try #require(try plan(2, mask).placement)
        #expect(placement.layout.name == "stereo" && placement.takenFor == nil && placement.matrix == nil)
        #expect(placement.warning == "its 2 channels, which are no left and right one, are mixed to stereo")
    }

    /// More channels without positions are those of a recorder: pairs.
    @Test func pairsAreMixedToStereo() throws {
        let plan = try plan(9, 0)
        #expect(plan.channels == 2 && plan.channelMask == 0x3 && plan.placement?.takenFor == nil)
        #expect(
            plan.placement?.matrix
                == [[0.2, 0, 0.2, 0, 0.2, 0, 0.2, 0, 0.2], [0, 0.2, 0, 0.2, 0, 0.2, 0, 0.2, 0]])
        #expect(plan.placement?.warning?.hasPrefix("its 9 channels have no positions") == true)
        #expect(try self.plan(63, 0).placement?.matrix?.map(\.count) == [63, 63])
    }

    /// Channels that come midway, where quad became 5.0 and recordings without positions became stereo: the same
    /// places where there are such, or else the nearest, and no row that could be clipped.
    @Test func otherChannelsGetAMatrixToo() throws {
        let surround = try #require(try plan(4, 0x33).placement)
        let stereo = try #require(try plan(12, 0).placement)
        #expect(surround.mixing(channels: 2, channelMask: 0x3) == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
        #expect(surround.mixing(channels: 1, channelMask: 0) == [[0], [0], [1], [0], [0]])
        #expect(
            surround.mixing(channels: 4, channelMask: 0xc03)
                == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        #expect(stereo.mixing(channels: 2, channelMask: 0x3) == [[1, 0], [0, 1]])
        for (channels, mask) in [(6, 0x3f), (8, 0xc3f), (7, 0x13f), (3, 0), (16, 0), (0, 0), (64, UInt64.max)] {
            for placement in [surround, stereo] {
                let matrix = placement.mixing(channels: channels, channelMask: UInt64(mask))
                #expect(matrix.count == placement.layout.channels)
                for row in matrix {
                    #expect(row.count == channels && row.reduce(0, +) < 1.001 && row.allSatisfy { $0 >= 0 })
                }
            }
        }
    }

    @Test func whatCannotBeConverted() throws {
        // GStreamer's converter ends the program.
        for preset in [ExportPreset.hevcHighestQuality, .proRes422] {
            let problem = exportError {
                _ = try ExportPlanner(preset: preset, fileType: .mov).plan(
                    audio: AudioSource(sampleRate: 48000, channels: 64))
            }
            #expect(problem.map { "\($0)" }?.contains("64 audio channels") == true)
        }
        let copy = try ExportPlanner(preset: .passthrough, fileType: .mov).plan(
            audio: AudioSource(sampleRate: 48000, channels: 64))
        #expect(copy.channels == 64)
    }

    @Test func pcmKeepsItsPositions() throws {
        let plan = try ExportPlanner(preset: .proRes422, fileType: .mov).plan(
            audio: AudioSource(sampleRate: 96000, channels: 8, channelMask: 0xc3f))
        #expect(plan.channelMask == 0xc3f && plan.placement == nil && plan.sampleRate == 96000)
    }
}
