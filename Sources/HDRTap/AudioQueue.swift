import HDRConcurrency

/// A queue of values between two threads: one that enqueues, one that dequeues. Neither ever waits, and both
/// functions may be used in `process`. Each thread holds the queue by a value of its own:
///
///     let levels = AudioQueue<Float>(capacity: 64)
///     let tap = try AudioTap(Meter(levels: levels.share()), on: element)
///
/// `enqueue` returns `false` if the queue is full, `dequeue` returns `nil` from an empty queue, and `count` is the
/// number of elements that wait.
public typealias AudioQueue = SingleProducerQueue
