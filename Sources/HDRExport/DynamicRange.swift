/// How a signal's dynamic range is carried.
package enum DynamicRange: String, CaseIterable, Sendable {
    case sdr
    case hlg
    case pq

    /// By transfer characteristics of ISO/IEC 23091-2: 16 is PQ (SMPTE ST 2084), 18 HLG (ARIB STD-B67). An unspecified
    /// transfer is SDR.
    package init(transfer: UInt8?) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: self = .sdr
        }
    }

    package var isHDR: Bool { self != .sdr }
}

extension DynamicRange: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sdr: "SDR"
        case .hlg: "HLG"
        case .pq: "PQ"
        }
    }
}
