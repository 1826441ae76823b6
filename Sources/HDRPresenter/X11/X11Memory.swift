import CXCB
import Glibc

/// The memory of one picture, which the X server can map.
final class X11Memory: @unchecked Sendable {
    /// The party that may write or read the memory; `pool` where it is free.
    enum Owner { case pool, sink, presenter, server }

    let buffer: PresenterBuffer
    let generation: Int
    /// Guarded by the presenter's lock.
    var owner = Owner.pool

    // Only the presenter's thread uses the following two properties.
    /// The file descriptor, which the first picture passes to the server and closes; -1 afterwards.
    var file: Int32
    /// The server's identifier of the memory; 0 before it has one.
    var segment: xcb_shm_seg_t = 0

    private let size: Int

    /// Allocates the memory. Rows start at multiples of 64 bytes, for vector instructions.
    init(_ description: PictureDescription, token: Int, generation: Int) throws(PresenterError) {
        let stride = (description.width * description.format.bytesPerPixel + 63) & ~63
        size = stride * description.height
        file = cxcb_memory_file()
        guard file >= 0 else {
            throw PresenterError("out of memory for a picture: memfd_create: \(systemError(errno))")
        }
        // Without this check, writing to memory that the system does not have would end the process.
        let error = X11Memory.allocate(file, size)
        guard error == 0 else {
            Glibc.close(file)
            throw PresenterError("out of memory for a picture of \(size) bytes: \(systemError(error))")
        }
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            let error = errno
            Glibc.close(file)
            throw PresenterError("out of memory for a picture of \(size) bytes: \(systemError(error))")
        }
        buffer = PresenterBuffer(description: description, memory: memory, stride: stride, token: token)
        self.generation = generation
    }

    deinit {
        munmap(buffer.memory, size)
        if file >= 0 { Glibc.close(file) }
    }

    /// - Returns: an error number, or 0.
    static func allocate(_ file: Int32, _ size: Int) -> Int32 {
        // Signals of the program's timers interrupt the call.
        for _ in 0..<1000 {
            let error = posix_fallocate(file, 0, off_t(size))
            if error != EINTR { return error }
        }
        return EINTR
    }
}
