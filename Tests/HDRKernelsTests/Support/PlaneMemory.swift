import Foundation

/// The placement of a plane in memory.
enum Placement: CaseIterable, Sendable {
    /// On a cache line, between guard bytes.
    case aligned
    /// One byte past a cache line, which no word size is aligned to.
    case misaligned
    /// Its first byte follows a page that may not be touched.
    case afterForbiddenPage
    /// Its last byte is followed by a page that may not be touched.
    case beforeForbiddenPage
}

/// One plane's memory, and what surrounds it: guard bytes, or pages whose use ends the program.
final class PlaneMemory {
    /// The plane's first byte.
    let start: UnsafeMutableRawPointer
    /// The memory that may be accessed: the plane and the guard bytes.
    let touchable: UnsafeMutableRawBufferPointer
    /// The mapped memory with the protected pages; `nil` where the memory is the heap's.
    private let mapping: UnsafeMutableRawBufferPointer?

    static let guardByte: UInt8 = 0xa5
    private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

    init(size: Int, _ placement: Placement) {
        switch placement {
        case .aligned, .misaligned:
            let margin = 64
            touchable = .allocate(byteCount: size + 2 * margin + 1, alignment: 64)
            start = touchable.baseAddress! + margin + (placement == .misaligned ? 1 : 0)
            mapping = nil
        case .afterForbiddenPage, .beforeForbiddenPage:
            let inside = (size + Self.page - 1) / Self.page * Self.page
            let total = inside + 2 * Self.page
            let base = mmap(nil, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
            precondition(base != MAP_FAILED)
            precondition(mprotect(base + Self.page, inside, PROT_READ | PROT_WRITE) == 0)
            touchable = UnsafeMutableRawBufferPointer(start: base + Self.page, count: inside)
            start = base + Self.page + (placement == .beforeForbiddenPage ? inside - size : 0)
            mapping = UnsafeMutableRawBufferPointer(start: base, count: total)
        }
        touchable.initializeMemory(as: UInt8.self, repeating: Self.guardByte)
    }

    deinit {
        if let mapping { munmap(mapping.baseAddress, mapping.count) } else { touchable.deallocate() }
    }

    /// From now on writing ends the program, where the memory is mapped.
    func forbidWriting() {
        if mapping != nil { mprotect(touchable.baseAddress, touchable.count, PROT_READ) }
    }
}
