/// How a signal's dynamic range is carried.
public enum DynamicRange: String, CaseIterable, Sendable {
    case sdr
    case hlg
    case pq

    /// By transfer characteristics of ISO/IEC 23091-2: 16 is PQ (SMPTE ST 2084), 18 HLG (ARIB STD-B67). What says nothing is SDR.
    public init(transfer: UInt8?) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: self = .sdr
        }
    }

    public var isHDR: Bool { self != .sdr }
}

extension DynamicRange: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sdr: "SDR"
        case .hlg: "HLG"
        case .pq: "PQ"
        }
    }
}
