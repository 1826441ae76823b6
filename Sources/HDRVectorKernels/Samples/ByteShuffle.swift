import CSIMD

/// Copies `count` bytes of a row, from byte `x` of the source's plane on.
@inline(__always)
func moveBytes(
    _ source: UnsafePointer<KernelFrame>, _ plane: Int32, _ y: Int, _ target: UnsafePointer<KernelFrame>,
    _ targetPlane: Int32, _ targetRow: Int, _ x: Int, _ count: Int
) {
    let from = kernel_row(source, plane, y)! + x
    let to = kernel_row(target, targetPlane, targetRow)! + x
    let step = 4 &* lanes
    var i = 0
    while i &+ step <= count {
        cv_move(to + i, from + i)
        i &+= step
    }
    while i < count {
        cv_move_byte(to + i, from + i)
        i &+= 1
    }
}

/// Changes the order of the bytes of each pixel.
@inline(never)
func reorderRows(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafePointer<KernelFrame>, _ target: UnsafePointer<KernelFrame>,
    _ first: Int, _ end: Int
) {
    let isShort = (
        Int(plan.pointee.source.packing) == KernelPackingBytes3, Int(plan.pointee.target.packing) == KernelPackingBytes3
    )
    var y = first
    while y < end {
        let from = kernel_row(source, 0, y)!
        let to = kernel_row(target, 0, y)!
        let count = source.pointee.width
        if Int(plan.pointee.source.packing) == KernelPackingWord64 {
            // Each pixel fills two words of 32 bits.
            reorder(plan, from, Word32.self, to, Word32.self, 2 &* count, 2)
        } else if isShort.0 {
            if isShort.1 {
                reorder(plan, from, Word24.self, to, Word24.self, count, 1)
            } else {
                reorder(plan, from, Word24.self, to, Word32.self, count, 1)
            }
        } else if isShort.1 {
            reorder(plan, from, Word32.self, to, Word24.self, count, 1)
        } else {
            reorder(plan, from, Word32.self, to, Word32.self, count, 1)
        }
        y &+= 1
    }
}

/// - Parameter group: the number of words in a pixel.
@inline(__always)
private func reorder<From: PixelWord, To: PixelWord>(
    _ plan: UnsafePointer<KernelPlan>, _ source: UnsafeMutablePointer<UInt8>, _ from: From.Type,
    _ target: UnsafeMutablePointer<UInt8>, _ to: To.Type, _ count: Int, _ group: Int
) {
    let places = kernel_order(plan)!
    let filling = kernel_filling(plan)!
    let order = cv_byte_order(places)
    let filled = cv_byte_order(filling)
    let whole = count &- count % lanes
    var i = 0
    while i < whole {
        to.store(target + to.bytes &* i, cv_reorder(from.load(source + from.bytes &* i), order, filled))
        i &+= lanes
    }
    // The rest is copied byte by byte, because a pixel of three bytes ends where its row does.
    while i < count {
        var byte = 0
        while byte < to.bytes &* group {
            let place = places[byte]
            let moved = place < 0x80 ? source[from.bytes &* i &+ Int(place)] : filling[byte]
            target[to.bytes &* i &+ byte] = moved
            byte &+= 1
        }
        i &+= group
    }
}
