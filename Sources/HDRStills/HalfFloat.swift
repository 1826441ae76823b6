/// IEEE 754 binary16.
enum HalfFloat {
    /// The nearest half-float, ties to even. Values of 65520 or more become infinity; a NaN stays one, with the high
    /// bits of its payload. It uses integer operations, which vectorize where the processor has no instruction for it.
    @inline(__always)
    static func bits(of value: Float) -> UInt16 {
        let bits = value.bitPattern
        let sign = (bits &>> 16) & 0x8000
        let magnitude = bits & 0x7FFF_FFFF

        // Half's least exponent is -14. Below it, adding 0.5 lines the steps of 2⁻²⁴ up with a float's last bit, and
        // rounds.
        let small = (Float(bitPattern: magnitude) + 0.5).bitPattern &- Float(0.5).bitPattern
        // The exponent's bias changes from 127 to 15, and 13 bits of the fraction are dropped.
        let odd = (magnitude &>> 13) & 1
        let normal = (magnitude &+ odd &+ 0xFFF &- 0x3800_0000) &>> 13
        let quiet = 0x7E00 | (magnitude &>> 13) & 0x1FF

        var half = magnitude < 0x3880_0000 ? small : normal
        half = magnitude >= 0x477F_F000 ? 0x7C00 : half
        half = magnitude > 0x7F80_0000 ? quiet : half
        return UInt16(truncatingIfNeeded: sign | half)
    }
}
