import CGStreamer
import HDRConcurrency
import HDRKernels
import Synchronization

/// Orders the caller's writes before the reads of the pool's threads, and the other way round, for ThreadSanitizer.
private let handover = Handover()

/// Threads that convert slices of one picture at the same time: a shared GstTaskPool and the caller.
package final class RowPool {
    private let pool: UnsafeMutablePointer<GstTaskPool>?
    package let threads: Int
    /// The next slice to be taken.
    private let next = Atomic<Int>(0)

    /// The number of threads for pictures of a height. A picture that leaves a thread fewer than 16 rows takes longer
    /// to hand out than to convert.
    /// - Parameter requested: how many the user allows; 0 for all of the machine's.
    package static func threads(height: Int, requested: Int = 0) -> Int {
        max(1, min(requested == 0 ? Int(g_get_num_processors()) : requested, height / 16))
    }

    /// - Parameter threads: the number of threads that work at a time, including the caller.
    package init(threads: Int) {
        self.threads = max(threads, 1)
        guard threads > 1, let made = gst_shared_task_pool_new() else {
            pool = nil
            return
        }
        gst_shared_task_pool_set_max_threads(made.cast(to: GstSharedTaskPool.self), guint(threads - 1))
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

    /// Runs `body(0)` to `body(threads - 1)` at the same time and returns when all are done. Where the pool does not
    /// take a job, the caller runs it.
    private func onEachThread(_ body: (_ thread: Int) -> Void) {
        guard let pool, threads > 1 else {
            for index in 0..<threads { body(index) }
            return
        }
        // The file name has no folder: its length would become part of the code, and builds in two folders would
        // differ.
        #sourceLocation(file:"RowPool+run.swift",line:47)
        withoutActuallyEscaping(body) { body in
            withUnsafeTemporaryAllocation(of: Job.self, capacity: threads) { jobs in
                withUnsafeTemporaryAllocation(of: gpointer?.self, capacity: threads) { tickets in
                    for index in 1..<threads {
                        jobs.initializeElement(at: index, to: Job(body: body, index: index))
                        handover.give()
                        let job = jobs.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
                        let ticket = gst_task_pool_push(pool, { RowPool.runJob($0) }, job, nil)
                        tickets.initializeElement(at: index, to: ticket)
                        if ticket == nil { body(index) }
                    }
                    body(0)
                    for index in 1..<threads {
                        if let ticket = tickets[index] { gst_task_pool_join(pool, ticket) }
                        handover.take()
                        jobs.deinitializeElement(at: index)
                    }
                }
            }
        }
        #sourceLocation()
    }

    private static func runJob(_ data: gpointer?) {
        guard let job = data?.assumingMemoryBound(to: Job.self) else { return }
        handover.take()
        job.pointee.body(job.pointee.index)
        handover.give()
    }

    /// Runs `body` for each of `count` slices, which the threads take in turn, and returns when all are done.
    package func forEachSlice(of count: Int, _ body: (_ slice: Int, _ thread: Int) -> Void) {
        next.store(0, ordering: .relaxed)
        onEachThread { thread in
            while true {
                let slice = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard slice < count else { return }
                body(slice, thread)
            }
        }
    }

    /// Converts a picture, or one field of it.
    package func convertFrame(_ source: FrameView, _ target: FrameView, _ converter: PictureConverter) {
        convertFrame(source, target, converter, meter: nil, field: 0)
    }

    /// Converts a picture. Rows are measured just before they are converted, so that they are read from memory once.
    private func convertFrame(
        _ source: FrameView, _ target: FrameView, _ converter: PictureConverter, meter: LightMeter?, field: Int
    ) {
        if converter.needsPreparation {
            // Each step is completed before the next: it reads neighbouring rows, and the source may be overwritten
            // afterwards.
            let count = threads == 1 ? 1 : 4 * threads
            for step in RecoveryStep.allCases {
                forEachSlice(of: count) { slice, thread in
                    converter.prepare(source, step, slice: slice, of: count, thread: thread)
                }
            }
        }
        // A slice that is measured is small enough to stay in the processor's cache.
        let slices = max(converter.slices(height: source.height), meter == nil ? 0 : source.height / 64)
        forEachSlice(of: slices) { slice, thread in
            if let meter {
                let rows = converter.rows(ofSlice: slice, of: slices, height: source.height)
                meter.measure(source, rows: rows, field: field, thread: thread)
            }
            converter.convert(source, target, slice: slice, of: slices, thread: thread)
        }
    }

    /// Converts a picture, field by field where it is interlaced, since each field has its own chroma.
    /// - Parameter meter: measures the source during the conversion.
    package func convertFrame(
        _ source: FrameView, _ target: FrameView, _ converter: PictureConverter, isInterlaced: Bool,
        meter: LightMeter? = nil
    ) {
        guard isInterlaced else { return convertFrame(source, target, converter, meter: meter, field: 0) }
        for parity in 0...1 {
            guard let from = source.field(parity), let to = target.field(parity) else { continue }
            convertFrame(from, to, converter, meter: meter, field: parity)
        }
    }

    /// Measures a picture for statistics, field by field where it is interlaced.
    package func measureFrame(_ frame: FrameView, _ meter: LightMeter, isInterlaced: Bool) {
        for field in 0...(isInterlaced ? 1 : 0) {
            guard let view = isInterlaced ? frame.field(field) : frame else { continue }
            let slices = threads == 1 ? 1 : 4 * threads
            let rows = (view.height / 2 + slices) / slices * 2
            forEachSlice(of: slices) { slice, thread in
                let first = min(slice * rows, view.height)
                meter.measure(view, rows: first..<min(first + rows, view.height), field: field, thread: thread)
            }
        }
    }
}
