import CGStreamer
import HDRKernels
import Synchronization

/// Orders what callers write before what their helpers read, and the other way round. The pools' own locks do so too, where
/// ThreadSanitizer cannot see it.
private let handovers = Atomic<Int>(0)

/// Threads that work on parts of one picture: a shared GstTaskPool.
public final class RowPool {
    private let pool: UnsafeMutablePointer<GstTaskPool>?
    public let threads: Int
    /// The next part to be taken.
    private let next = Atomic<Int>(0)

    /// - Parameter threads: that work at a time, the caller's among them.
    public init(threads: Int) {
        self.threads = max(threads, 1)
        guard threads > 1, let made = gst_shared_task_pool_new() else {
            pool = nil
            return
        }
        made.withMemoryRebound(to: GstSharedTaskPool.self, capacity: 1) {
            gst_shared_task_pool_set_max_threads($0, guint(threads - 1))
        }
        gst_task_pool_prepare(made, nil)
        pool = made
    }

    deinit {
        guard let pool else { return }
        gst_task_pool_cleanup(pool)
        gst_object_unref(pool)
    }

    private struct Job {
        let body: (Int) -> Void
        let index: Int
    }

    /// Runs `body(0)` to `body(threads - 1)` and returns when all are done. What the pool cannot take runs here.
    public func run(_ body: (Int) -> Void) {
        guard let pool, threads > 1 else {
            for index in 0..<threads { body(index) }
            return
        }
        withoutActuallyEscaping(body) { body in
            withUnsafeTemporaryAllocation(of: Job.self, capacity: threads) { jobs in
                withUnsafeTemporaryAllocation(of: gpointer?.self, capacity: threads) { tickets in
                    for index in 1..<threads {
                        jobs.initializeElement(at: index, to: Job(body: body, index: index))
                        handovers.wrappingAdd(1, ordering: .releasing)
                        let job = jobs.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
                        let ticket = gst_task_pool_push(pool, { RowPool.work($0) }, job, nil)
                        tickets.initializeElement(at: index, to: ticket)
                        if ticket == nil { body(index) }
                    }
                    body(0)
                    for index in 1..<threads {
                        if let ticket = tickets[index] { gst_task_pool_join(pool, ticket) }
                        _ = handovers.load(ordering: .acquiring)
                        jobs.deinitializeElement(at: index)
                    }
                }
            }
        }
    }

    /// Runs `body` for each of `parts` parts, which the threads take in turn, and returns when all are done.
    private func run(parts: Int, _ body: (_ part: Int, _ thread: Int) -> Void) {
        next.store(0, ordering: .relaxed)
        run { thread in
            while true {
                let part = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard part < parts else { return }
                body(part, thread)
            }
        }
    }

    /// Converts a picture.
    public func convert(_ source: FrameView, _ target: FrameView, _ converter: PictureConverter) {
        let parts = converter.parts(height: source.height)
        run(parts: parts) { converter.convert(source, target, part: $0, of: parts, thread: $1) }
    }

    private static func work(_ data: gpointer?) {
        guard let job = data?.assumingMemoryBound(to: Job.self) else { return }
        _ = handovers.load(ordering: .acquiring)
        job.pointee.body(job.pointee.index)
        handovers.wrappingAdd(1, ordering: .releasing)
    }
}
