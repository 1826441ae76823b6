/// Parameter sets and messages of the stream's header that were inserted into an HEVC access unit, such as by a parser
/// from `hvcC`.
package enum AddedParameterSets {
    /// Whether parameter sets and prefix SEI messages are all that an access unit has beyond another.
    /// - Parameter framing: of both.
    package static func areAll(
        of made: UnsafeRawBufferPointer, beyond given: UnsafeRawBufferPointer, _ framing: NALFraming
    ) -> Bool {
        guard made.count > given.count else { return false }
        do {
            var original = NALReader(given, framing: framing)
            var expected = try original.next()
            var reader = NALReader(made, framing: framing)
            while let unit = try reader.next() {
                if let own = expected, given.part(own.content).elementsEqual(made.part(unit.content)) {
                    expected = try original.next()
                } else if !isOfHeader(unit.hevcType) {
                    return false
                }
            }
            return expected == nil
        } catch {
            return false
        }
    }

    private static func isOfHeader(_ type: UInt8?) -> Bool {
        guard let type else { return false }
        return (HEVCUnitType.vps...HEVCUnitType.pps).contains(type) || type == HEVCUnitType.prefixSEI
    }
}
