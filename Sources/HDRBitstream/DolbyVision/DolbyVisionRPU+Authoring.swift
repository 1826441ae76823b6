extension DolbyVisionRPU {
    /// Versions of content mapping, which differ in the light that level 1 may have.
    package enum ContentMapping: Equatable, Sendable {
        case version29
        case version40
    }

    package enum AuthoredProfile: String, CaseIterable, Sendable {
        case profile5 = "5"
        case profile81 = "8.1"
        case profile84 = "8.4"
    }

    /// An RPU of profile 8.1, whose base layer is HDR10 and is not reshaped.
    ///
    /// - Parameters:
    ///   - level6: the mastering display; without it, one of 0.005 to 1000 cd/m² is assumed.
    ///   - beginsScene: whether the picture is the first of a scene.
    package static func profile81(
        level1: Level1, level5: Level5? = nil, level6: Level6? = nil, beginsScene: Bool
    ) -> Self {
        authored(mapping: .identity(SequenceInfo()), level1, level5, level6, beginsScene)
    }

    /// An RPU of profile 8.4, whose base layer is HLG, as phones record it: reshaped by ``Mapping/hlg``, with level 1
    /// only unless others are given.
    package static func profile84(
        level1: Level1, level5: Level5? = nil, level6: Level6? = nil, beginsScene: Bool
    ) -> Self {
        authored(mapping: .hlg, level1, level5, level6, beginsScene)
    }

    /// An RPU without blocks of metadata, of profile 5 (a base layer in IPTPQc2), 8.1 or 8.4.
    package static func blank(_ profile: AuthoredProfile) -> Self {
        var rpu = Self()
        rpu.mapping = profile == .profile84 ? .hlg : .identity(SequenceInfo())
        var management = DisplayManagement()
        switch profile {
        case .profile5:
            rpu.header.profile = 0
            rpu.header.sequence?.isBaseLayerFullRange = true
            management.signal?.setIPT()
        case .profile81: break
        case .profile84:
            let range = Level6.assumed.sourceRange
            management.signal?.sourceMinimumPQ = range.minimum
            management.signal?.sourceMaximumPQ = range.maximum
        }
        rpu.displayManagement = management
        return rpu
    }

    private static func authored(
        mapping: Mapping, _ level1: Level1, _ level5: Level5?, _ level6: Level6?, _ beginsScene: Bool
    ) -> Self {
        var management = DisplayManagement()
        management.sceneRefreshFlag = beginsScene ? 1 : 0
        let range = (level6 ?? Level6.assumed).sourceRange
        management.signal?.sourceMinimumPQ = range.minimum
        management.signal?.sourceMaximumPQ = range.maximum
        management.level1 = level1
        management.level5 = level5
        management.level6 = level6
        var rpu = Self()
        rpu.mapping = mapping
        rpu.displayManagement = management
        return rpu
    }
}

extension DolbyVisionRPU.Signal {
    /// The matrices of profile 5.
    fileprivate mutating func setIPT() {
        yccToRGB = [8192, 799, 1681, 8192, -933, 1091, 8192, 267, -5545]
        yccToRGBOffset = [0, 1 << 27, 1 << 27]
        rgbToLMS = [17081, -349, -349, -349, 17081, -349, -349, -349, 17081]
        colorSpace = 2
    }
}

extension DolbyVisionRPU.Level1 {
    /// Measured light, limited to what content mapping accepts: a minimum of at most 12, a maximum of at least 2081
    /// (100 cd/m²), and an average of at least 819 (1229 for version 4.0) below the maximum.
    package init(measured: Self, for version: DolbyVisionRPU.ContentMapping) {
        minimumPQ = min(measured.minimumPQ, 12)
        maximumPQ = min(max(measured.maximumPQ, 2081), 4095)
        averagePQ = min(max(measured.averagePQ, version == .version40 ? 1229 : 819), maximumPQ - 1)
    }
}

extension DolbyVisionRPU.Level6 {
    /// The mastering display that is assumed: 0.005 to 1000 cd/m².
    fileprivate static let assumed = Self(
        maximumMasteringLuminance: 1000, minimumMasteringLuminance: 50, maximumContentLightLevel: 0,
        maximumFrameAverageLightLevel: 0)

    /// The mastering display's range in PQ, 0...4095: source_min_pq and source_max_pq.
    package var sourceRange: (minimum: UInt16, maximum: UInt16) {
        (
            DolbyVisionLight.code(Double(minimumMasteringLuminance) / 10000),
            DolbyVisionLight.code(Double(maximumMasteringLuminance))
        )
    }
}

extension DolbyVisionRPU.Mapping {
    /// HLG, as phones reshape it: close to the system's OOTF of BT.2100 at 1000 cd/m², in PQ.
    package static let hlg = Self(curves: [
        Curve(
            pivots: [63, 132, 362, 618, 874, 911, 927, 935, 942],
            pieces: [
                .polynomial([-409_680, 16_721_463, -20_276_640]),
                .polynomial([-119_056, 13_575_212, -12_867_889]),
                .polynomial([1_317_527, 5_338_528, -948_122]),
                .polynomial([2_119_979, 2_065_496, 2_288_524]),
                .polynomial([7_982_780, -11_367_226, 9_973_944]),
                .polynomial([53_792_084, -114_243_184, 67_724_328]),
                .polynomial([112_973_872, -244_837_568, 139_764_480]),
                .polynomial([236_828_416, -518_849_056, 291_306_944]),
            ]),
        Curve(
            pivots: [0, 1023],
            pieces: [
                .mmr(
                    constant: 9_538_791,
                    coefficients: [
                        [-8_301_253, -10_548_230, -41_300_540, 17_800_512, 48_512_552, 80_625_688, -96_346_000],
                        [-88_703, -2_568_677, 27_489_948, -1_115_062, -40_380_556, -96_983_816, 157_352_304],
                        [-215_627, 3_261_951, -10_807_161, 927_142, 20_303_056, 63_830_604, -153_146_704],
                    ])
            ]),
        Curve(
            pivots: [0, 1023],
            pieces: [
                .mmr(
                    constant: -10_511_104,
                    coefficients: [
                        [33_747_536, 5_369_128, 44_496_156, -8_767_568, -64_336_844, -5_266_155, 11_350_189],
                        [-26_784_644, -5_823_003, -42_467_152, 13_165_896, 101_312_912, 7_036_536, -31_888_026],
                        [8_794_873, 2_901_521, 19_457_440, -8_242_268, -66_100_812, -4_021_798, 38_635_284],
                    ])
            ]),
    ])
}
