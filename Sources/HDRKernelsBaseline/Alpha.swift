import CVector

/// Reads alpha and scales it to the target's depth.
func copyAlpha(
    _ plan: UnsafePointer<KernelPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int,
    _ out: UnsafeMutablePointer<UInt16>
) {
    let layout = plan.pointee.source
    let packing = Int(layout.packing)
    let place = Int(layout.alpha_place)
    if packing == KernelPackingWord32 {
        let row = kernel_row(frame, 0, y)! + 4 &* x
        let mask = UInt32((1 &<< layout.alpha_bits) &- 1)
        for i in 0..<count { out[i] = UInt16(truncatingIfNeeded: doubleWord(row, i) &>> UInt32(place) & mask) }
    } else if packing == KernelPackingWord64 {
        let row = kernel_row(frame, 0, y)! + 8 &* x
        for i in 0..<count { out[i] = word(row, 4 &* i &+ place) }
    } else {
        let row = kernel_row(frame, layout.alpha_place, y)! + 2 &* x
        for i in 0..<count { out[i] = word(row, i) }
    }
    let from = UInt32((1 &<< layout.alpha_bits) &- 1)
    let to = UInt32((1 &<< plan.pointee.target.alpha_bits) &- 1)
    guard from != to else { return }
    for i in 0..<count { out[i] = UInt16(truncatingIfNeeded: (UInt32(out[i]) &* to &+ from / 2) / from) }
}
