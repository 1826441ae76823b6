/// The features of color-management-v1 that a compositor supports, by the protocol's numbers. Unknown numbers are never
/// chosen.
struct ColorFeatures: Equatable, Sendable {
    enum Feature: UInt32, CaseIterable {
        case iccProfiles = 0
        case parametric, setPrimaries, setPowerTransfer, setLuminances, setMasteringDisplayPrimaries
        case extendedTargetVolume, windowsScRGB

        var name: String {
            switch self {
            case .iccProfiles: "icc_v2_v4"
            case .parametric: "parametric"
            case .setPrimaries: "set_primaries"
            case .setPowerTransfer: "set_tf_power"
            case .setLuminances: "set_luminances"
            case .setMasteringDisplayPrimaries: "set_mastering_display_primaries"
            case .extendedTargetVolume: "extended_target_volume"
            case .windowsScRGB: "windows_scrgb"
            }
        }
    }

    enum Transfer: UInt32, CaseIterable {
        case bt1886 = 1
        case gamma22, gamma28, st240, extendedLinear, log100, log316, xvYCC, sRGB, extendedSRGB, pq, st428, hlg
        case compoundPower24

        var name: String {
            switch self {
            case .bt1886: "bt1886"
            case .gamma22: "gamma22"
            case .gamma28: "gamma28"
            case .st240: "st240"
            case .extendedLinear: "ext_linear"
            case .log100: "log_100"
            case .log316: "log_316"
            case .xvYCC: "xvycc"
            case .sRGB: "srgb"
            case .extendedSRGB: "ext_srgb"
            case .pq: "st2084_pq"
            case .st428: "st428"
            case .hlg: "hlg"
            case .compoundPower24: "compound_power_2_4"
            }
        }
    }

    /// The named primaries that pictures can have here.
    enum Primaries: UInt32, CaseIterable {
        case sRGB = 1
        case bt2020 = 6
        case displayP3 = 9

        var name: String {
            switch self {
            case .sRGB: "primaries:srgb"
            case .bt2020: "primaries:bt2020"
            case .displayP3: "primaries:display_p3"
            }
        }
    }

    /// The bound version of the interface; 0 for a compositor without color management.
    var version: UInt32 = 0
    var features: Set<UInt32> = []
    var transfers: Set<UInt32> = []
    var primaries: Set<UInt32> = []
    var intents: Set<UInt32> = []
    /// The formats of wl_shm.
    var formats: Set<PictureFormat> = []

    func has(_ feature: Feature) -> Bool { features.contains(feature.rawValue) }
    func has(_ transfer: Transfer) -> Bool { transfers.contains(transfer.rawValue) }
    func has(_ named: Primaries) -> Bool { primaries.contains(named.rawValue) }

    /// Whether pictures can have these primaries, by name or by chromaticities.
    func takes(_ wanted: PictureEncoding.Primaries) -> Bool { has(wanted.named) || has(.setPrimaries) }

    /// Short names for `DisplayState.features`.
    var names: [String] {
        var names = version > 0 ? ["color-management-v1"] : []
        names += Feature.allCases.filter(has).map(\.name)
        names += Transfer.allCases.filter(has).map(\.name)
        names += Primaries.allCases.filter(has).map(\.name)
        names += PictureFormat.allCases.filter(formats.contains).map { "\($0)" }
        return names
    }
}

extension PictureEncoding.Primaries {
    var named: ColorFeatures.Primaries {
        switch self {
        case .sRGB: .sRGB
        case .displayP3: .displayP3
        case .bt2020: .bt2020
        }
    }

    /// CIE 1931 x and y of red, green, blue and white (D65) in millionths.
    var chromaticities: [Int32] {
        switch self {
        case .sRGB: [640_000, 330_000, 300_000, 600_000, 150_000, 60_000, 312_700, 329_000]
        case .displayP3: [680_000, 320_000, 265_000, 690_000, 150_000, 60_000, 312_700, 329_000]
        case .bt2020: [708_000, 292_000, 170_000, 797_000, 131_000, 46_000, 312_700, 329_000]
        }
    }
}
