/// The dynamic metadata of one picture as a stream carries them, without the stream's framing.
package struct DynamicMetadataPayload: Equatable, Sendable {
    package enum Format: Sendable, CaseIterable {
        /// A reference processing unit from its prefix byte to its terminator: ETSI TS 103 572.
        case dolbyVision
        /// A message of ITU-T T.35 from its country code on, with SMPTE ST 2094-40: CTA-861-H annex S.
        case hdr10Plus
        /// A message of ITU-T T.35 from its country code on, with SMPTE ST 2094-50.
        case st209450
    }

    package var format: Format
    /// The payload without emulation prevention.
    package var bytes: [UInt8]

    package init(_ format: Format, _ bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }
}
