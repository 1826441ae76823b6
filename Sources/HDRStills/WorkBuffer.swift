import Glibc

/// Working memory that fails with an error rather than ending the program.
struct WorkBuffer: ~Copyable {
    let start: UnsafeMutableRawPointer
    let count: Int

    /// Allocates `count` bytes of 0.
    init(count: Int) throws(StillError) {
        guard count > 0, let start = calloc(count, 1) else {
            throw StillError("out of memory for \(count) bytes of working space")
        }
        self.start = start
        self.count = count
    }

    deinit { free(start) }

    var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }
}
