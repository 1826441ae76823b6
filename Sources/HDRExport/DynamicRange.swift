/// How a signal's dynamic range is carried. Where pictures of several meet, the greatest wins: HLG over PQ, both over
/// SDR.
package enum DynamicRange: String, CaseIterable, Comparable, Sendable {
    case sdr
    case hlg
    case pq

    package static func < (a: DynamicRange, b: DynamicRange) -> Bool { a.precedence < b.precedence }

    /// The order of precedence; the greatest wins.
    var precedence: Int {
        switch self {
        case .sdr: 0
        case .pq: 1
        case .hlg: 2
        }
    }

    /// The dynamic range for transfer characteristics of ISO/IEC 23091-2: 16 is PQ (SMPTE ST 2084), 18 HLG (ARIB
    /// STD-B67). An unspecified transfer is SDR.
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
