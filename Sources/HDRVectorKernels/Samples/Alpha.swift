import CSIMD

/// Reads alpha and scales it to the target's depth.
func copyAlpha(
    _ plan: UnsafePointer<KernelPlan>, _ frame: UnsafePointer<KernelFrame>, _ y: Int, _ x: Int, _ count: Int,
    _ out: UnsafeMutablePointer<UInt16>
) {
    let layout = plan.pointee.source
    let packing = Int(layout.packing)
    let place = layout.alpha_place
    let whole = count &- count % lanes
    var i = 0
    if packing == KernelPackingWord32 {
        let row = kernel_row(frame, 0, y)! + 4 &* x
        let mask: Int32 = (1 &<< layout.alpha_bits) &- 1
        while i < whole {
            cv_store_u16(out + i, cv_and(cv_right(cv_load_u32(row + 4 &* i), place), mask))
            i &+= lanes
        }
        while i < count {
            out[i] = UInt16(truncatingIfNeeded: doubleWord(row, i) &>> UInt32(place)) & UInt16(truncatingIfNeeded: mask)
            i &+= 1
        }
    } else if packing == KernelPackingWord64 {
        let row = kernel_row(frame, 0, y)! + 8 &* x
        if layout.is_big_endian != 0 {
            copyWord64(BigEndian.self, row, place, count, out)
        } else {
            copyWord64(LittleEndian.self, row, place, count, out)
        }
    } else if layout.bytes_per_word == 1 {
        let row = kernel_row(frame, place, y)! + x
        while i < whole {
            cv_store_u16(out + i, cv_load_u8(row + i))
            i &+= lanes
        }
        while i < count {
            out[i] = UInt16(row[i])
            i &+= 1
        }
    } else {
        let row = kernel_row(frame, place, y)! + 2 &* x
        let top: UInt16 = UInt16(truncatingIfNeeded: (1 &<< layout.alpha_bits) &- 1)
        while i < whole {
            cv_store_u16(out + i, cv_min_i(cv_load_u16(row + 2 &* i), cv_splat_i(Int32(top))))
            i &+= lanes
        }
        while i < count {
            let code = word(row, i)
            out[i] = code < top ? code : top
            i &+= 1
        }
    }
    let from: Int32 = (1 &<< layout.alpha_bits) &- 1
    let to: Int32 = (1 &<< plan.pointee.target.alpha_bits) &- 1
    guard from != to else { return }
    let parts = to / from
    let rest = to &- parts &* from
    eachVector(count) { cv_store_u16(out + $0, cv_rescale(cv_load_u16(out + $0), layout.alpha_bits, parts, rest)) }
}

/// Copies one of the four 16-bit words of each pixel.
@inline(__always)
private func copyWord64<Order: ByteOrder>(
    _ order: Order.Type, _ row: UnsafeMutablePointer<UInt8>, _ place: Int32, _ count: Int,
    _ out: UnsafeMutablePointer<UInt16>
) {
    let whole = count &- count % lanes
    let shift = 16 &* (place & 1)
    var i = 0
    while i < whole {
        let (first, second) = (cv_load_u32(row + 8 &* i), cv_load_u32(row + (8 &* i &+ 4 &* lanes)))
        let pairs = order.words(place < 2 ? cv_even_i(first, second) : cv_odd_i(first, second))
        cv_store_u16(out + i, cv_and(cv_right(pairs, shift), 0xffff))
        i &+= lanes
    }
    while i < count {
        out[i] = order.word(word(row, 4 &* i &+ Int(place)))
        i &+= 1
    }
}
