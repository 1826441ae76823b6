/// The source audio of a tap's process calls: frames that earlier calls have not fetched, then those of the current
/// call.
///
/// It works on bytes: one plane for interleaved samples, one plane for each channel of planar samples. All memory is
/// allocated by `init`; the functions for process calls take no lock.
public struct AudioSource: ~Copyable {
    public let planeCount: Int
    /// The number of bytes of a frame within a plane.
    public let frameBytes: Int
    public let maxFrames: Int
    /// The maximum number of unfetched frames that are kept for later calls.
    public let backlogCapacity: Int

    /// The index of the next frame to be fetched, since the run's start.
    public private(set) var position = 0
    /// Whether the next fetch starts a run.
    public private(set) var isStart = true
    /// Whether no frames follow those that are available.
    public private(set) var hasEnded = false
    /// Whether the current call has fetched.
    public private(set) var wasFetched = false
    /// The number of frames that were never fetched and had to be dropped.
    public private(set) var dropped = 0

    private let chunk: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var chunkFrames = 0
    private var chunkRead = 0
    private let backlog: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var backlogFrames = 0
    private var backlogRead = 0
    /// The memory where frames of the backlog and of the current call are joined.
    private let scratch: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var scratchUsed = 0

    public init(planeCount: Int, frameBytes: Int, maxFrames: Int) {
        self.planeCount = planeCount
        self.frameBytes = frameBytes
        self.maxFrames = maxFrames
        backlogCapacity = maxFrames
        func planes(_ frames: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
            let result = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: planeCount)
            for plane in 0..<planeCount {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: max(frames * frameBytes, 1), alignment: 64)
                memory.initializeMemory(as: UInt8.self, repeating: 0, count: frames * frameBytes)
                result.advanced(by: plane).initialize(to: memory)
            }
            return result
        }
        chunk = .allocate(capacity: planeCount)
        backlog = planes(backlogCapacity)
        scratch = planes(backlogCapacity + 2 * maxFrames)
    }

    deinit {
        for plane in 0..<planeCount {
            backlog[plane].deallocate()
            scratch[plane].deallocate()
        }
        chunk.deallocate()
        backlog.deallocate()
        scratch.deallocate()
    }

    /// Discards all frames, so that a new run begins.
    @_noLocks public mutating func reset() {
        position = 0
        isStart = true
        hasEnded = false
        backlogFrames = 0
        backlogRead = 0
        chunkFrames = 0
        chunkRead = 0
    }

    /// Begins a call with `frames` new frames (0 to `maxFrames`) in these planes.
    /// - Parameter ended: whether no frames follow these.
    @_noLocks public mutating func begin(
        _ planes: UnsafePointer<UnsafeMutableRawPointer>, frames: Int, ended: Bool
    ) {
        for plane in 0..<planeCount { chunk[plane] = planes[plane] }
        chunkFrames = frames
        chunkRead = 0
        scratchUsed = 0
        wasFetched = false
        hasEnded = ended
    }

    /// The number of frames that can be fetched now.
    @_noLocks public func available() -> Int { backlogFrames &- backlogRead &+ chunkFrames &- chunkRead }

    /// The result of a fetch.
    public struct Fetched {
        public let frames: Int
        /// The index of the first frame, since the run's start.
        public let first: Int
        public let isStart: Bool
        public let isEnd: Bool
    }

    /// Fetches up to `wanted` frames. A plane that is `nil` is pointed to memory that is valid until the next `begin`;
    /// for the others samples are copied into their memory. The memory of a call's first fetch has room for `maxFrames`
    /// frames.
    @_noLocks public mutating func fetch(
        _ wanted: Int, into planes: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Fetched {
        let old = backlogFrames &- backlogRead
        let frames = max(0, min(wanted, available()))
        let fromBacklog = min(frames, old)
        let fromChunk = frames &- fromBacklog
        // Frames are used in place only if none is left behind them that the caller, who has room for a whole call,
        // could overwrite.
        let isInPlace = fromBacklog == 0 && fromChunk == chunkFrames &- chunkRead
        var usesScratch = false
        for plane in 0..<planeCount {
            let fresh = chunk[plane] + chunkRead &* frameBytes
            if planes[plane] == nil && isInPlace {
                planes[plane] = fresh
                continue
            }
            if planes[plane] == nil { usesScratch = true }
            let target = planes[plane] ?? scratch[plane] + scratchUsed &* frameBytes
            planes[plane] = target
            Self.copy(
                from: backlog[plane] + backlogRead &* frameBytes, to: target, bytes: fromBacklog &* frameBytes)
            Self.copy(
                from: fresh, to: target + fromBacklog &* frameBytes, bytes: fromChunk &* frameBytes)
        }
        // The first fetch has room for a whole call.
        if usesScratch { scratchUsed &+= wasFetched ? frames : max(frames, maxFrames) }
        backlogRead &+= fromBacklog
        chunkRead &+= fromChunk
        let result = Fetched(
            frames: frames, first: position, isStart: isStart && frames > 0, isEnd: hasEnded && available() == 0)
        position &+= frames
        if frames > 0 { isStart = false }
        wasFetched = true
        return result
    }

    /// Ends a call: saves frames that were not fetched, before their memory is written to. The oldest frames beyond the
    /// capacity are dropped; the next fetch then starts a run.
    @_noLocks public mutating func finish() {
        let left = chunkFrames &- chunkRead
        let old = backlogFrames &- backlogRead
        guard left > 0 || backlogRead > 0 else { return }
        let excess = max(0, old &+ left &- backlogCapacity)
        let oldKept = max(0, old &- excess)
        let freshSkipped = max(0, excess &- old)
        for plane in 0..<planeCount {
            Self.copy(
                from: backlog[plane] + (backlogFrames &- oldKept) &* frameBytes, to: backlog[plane],
                bytes: oldKept &* frameBytes)
            Self.copy(
                from: chunk[plane] + (chunkRead &+ freshSkipped) &* frameBytes,
                to: backlog[plane] + oldKept &* frameBytes, bytes: (left &- freshSkipped) &* frameBytes)
        }
        backlogRead = 0
        backlogFrames = oldKept &+ left &- freshSkipped
        chunkFrames = 0
        chunkRead = 0
        if excess > 0 {
            dropped &+= excess
            position &+= excess
            isStart = true
        }
    }

    @_noLocks private static func copy(
        from: UnsafeMutableRawPointer, to: UnsafeMutableRawPointer, bytes: Int
    ) {
        if bytes > 0 && from != to { to.copyMemory(from: from, byteCount: bytes) }
    }
}
