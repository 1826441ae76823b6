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
    /// How many slices each step of a preparation has done; they end in their order.
    private let measured = Atomic<Int>(0)
    private let smoothed = Atomic<Int>(0)

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
        if converter.needsPreparation { return convertPrepared(source, target, converter, meter: meter, field: field) }
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

    /// Converts a picture whose slices need the cells of their neighbours for contrast recovery. A slice is prepared
    /// shortly before it is converted, while its rows are in the processor's cache.
    ///
    /// The work is one sequence of jobs, of which each thread takes the next one: in turn a job that prepares a slice,
    /// and one that converts an earlier slice. A job waits only for jobs that were taken before it, so that one thread
    /// alone runs all of them without waiting, and more threads seldom wait, because there are enough slices between
    /// the two. A picture may be converted in place: a slice is overwritten when the one behind it has been prepared.
    private func convertPrepared(
        _ source: FrameView, _ target: FrameView, _ converter: PictureConverter, meter: LightMeter?, field: Int
    ) {
        let slices = max(source.height / Self.preparedRows, 1)
        let lead = threads + 1
        measured.store(0, ordering: .relaxed)
        smoothed.store(0, ordering: .relaxed)
        func prepare(_ slice: Int, _ thread: Int) {
            if slice < slices {
                converter.prepare(source, .measure, slice: slice, of: slices, thread: thread)
                Self.wait(measured, slice)
                measured.store(slice + 1, ordering: .releasing)
            }
            // The slice above this one has both neighbours now.
            guard slice > 0 else { return }
            Self.wait(measured, min(slice + 1, slices))
            converter.prepare(source, .smooth, slice: slice - 1, of: slices, thread: thread)
            Self.wait(smoothed, slice - 1)
            smoothed.store(slice, ordering: .releasing)
        }
        func convert(_ slice: Int, _ thread: Int) {
            Self.wait(smoothed, min(slice + 2, slices))
            if let meter {
                let rows = converter.rows(ofSlice: slice, of: slices, height: source.height)
                meter.measure(source, rows: rows, field: field, thread: thread)
            }
            converter.convert(source, target, slice: slice, of: slices, thread: thread)
        }
        forEachSlice(of: 2 * (slices + lead)) { job, thread in
            let (slice, isConversion) = job.quotientAndRemainder(dividingBy: 2)
            if isConversion == 1 {
                if slice >= lead { convert(slice - lead, thread) }
            } else if slice <= slices {
                prepare(slice, thread)
            }
        }
    }

    /// The number of rows in a slice that is prepared: few enough for several slices to be in the cache.
    private static let preparedRows = 32

    /// Waits until a counter has reached a value, which a job that runs on another thread will do. The threads may have
    /// different priorities on one processor, so that waiting must not use it up.
    private static func wait(_ counter: borrowing Atomic<Int>, _ value: Int) {
        var turns = 0
        while counter.load(ordering: .acquiring) < value {
            turns += 1
            if turns > 1000 { g_usleep(50) }
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
