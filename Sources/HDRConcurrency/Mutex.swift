import Glibc

/// A pthread mutex, whose operations ThreadSanitizer knows.
@usableFromInline final class Mutex: @unchecked Sendable {
    @usableFromInline let pointer: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: pthread_mutex_t())
        pthread_mutex_init(pointer, nil)
    }

    deinit {
        pthread_mutex_destroy(pointer)
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    @inlinable func lock() { pthread_mutex_lock(pointer) }
    @inlinable func unlock() { pthread_mutex_unlock(pointer) }
}
