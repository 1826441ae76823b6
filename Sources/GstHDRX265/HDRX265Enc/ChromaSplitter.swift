/// Separates interleaved chroma into planes, in memory that is reused from picture to picture.
struct ChromaSplitter: ~Copyable {
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0

    deinit { memory?.deallocate() }

    /// - Parameters:
    ///   - rows: the first row of pairs; the next one is `stride` bytes behind.
    ///   - width: the number of pairs in a row.
    /// - Returns: the planes of the pairs' first and second samples, without gaps between rows; valid until the next
    ///   call.
    mutating func split<Sample: FixedWidthInteger & SIMDScalar>(
        _ rows: UnsafeRawPointer, stride: Int, width: Int, height: Int, as: Sample.Type
    ) -> (first: UnsafeMutableRawPointer, second: UnsafeMutableRawPointer) {
        let plane = width * height * MemoryLayout<Sample>.stride
        let target = reserve(2 * plane)
        let first = target.bindMemory(to: Sample.self, capacity: width * height)
        let second = (target + plane).bindMemory(to: Sample.self, capacity: width * height)
        for row in 0..<height {
            let source = rows + row * stride
            Self.split(source, first + row * width, second + row * width, count: width)
        }
        return (target, target + plane)
    }

    private mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
        if let memory, capacity >= bytes { return memory }
        memory?.deallocate()
        let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        memory = new
        capacity = bytes
        return new
    }

    private static func split<Sample: FixedWidthInteger & SIMDScalar>(
        _ source: UnsafeRawPointer, _ first: UnsafeMutablePointer<Sample>, _ second: UnsafeMutablePointer<Sample>,
        count: Int
    ) {
        let step = 16
        let size = MemoryLayout<Sample>.stride
        var index = 0
        while index + step <= count {
            let pairs = (source + 2 * index * size).loadUnaligned(as: SIMD32<Sample>.self)
            UnsafeMutableRawPointer(first + index).storeBytes(of: pairs.evenHalf, as: SIMD16<Sample>.self)
            UnsafeMutableRawPointer(second + index).storeBytes(of: pairs.oddHalf, as: SIMD16<Sample>.self)
            index += step
        }
        while index < count {
            first[index] = (source + 2 * index * size).loadUnaligned(as: Sample.self)
            second[index] = (source + (2 * index + 1) * size).loadUnaligned(as: Sample.self)
            index += 1
        }
    }
}
