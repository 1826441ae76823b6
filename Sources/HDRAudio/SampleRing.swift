import HDRConcurrency

/// Passes samples from a real-time thread to another thread, for example one that draws them.
///
/// The writer never waits: when the reader is too slow, the newest samples are lost, and the next read reports the
/// loss. Both threads access the ring through a pointer; each changes only its own part.
public struct SampleRing: ~Copyable, @unchecked Sendable {
    public let channels: Int
    public let capacityFrames: Int

    /// The number of frames in a block.
    private static let blockFrames = 256

    private struct Header {
        var run = 0
        var first = 0
        var frames = 0
        var isDiscontinuous = false
    }

    private let headers: UnsafeMutablePointer<Header>
    private let samples: UnsafeMutablePointer<Float>
    /// The numbers of blocks, from 1 on: those that can be filled, and those that can be read.
    private let free: SingleProducerQueue<UInt>
    private let filled: SingleProducerQueue<UInt>

    // The data that a thread changes lie behind a pointer, on cache lines of their own: two threads must not mutate one
    // Swift value.
    private struct Writer {
        /// The block that is being filled, or 0.
        var open: UInt = 0
        var isBroken = false
    }
    private let memory: UnsafeMutableRawPointer
    private let writer: UnsafeMutablePointer<Writer>
    /// The number of frames of the oldest filled block that have been read.
    private let taken: UnsafeMutablePointer<Int>

    /// - Parameter capacityFrames: the number of frames that are kept, rounded up to whole blocks.
    public init(channels: Int, capacityFrames: Int) {
        // The additional block is the one that is being filled.
        let blocks = (max(capacityFrames, 1) + Self.blockFrames - 1) / Self.blockFrames + 1
        free = SingleProducerQueue(capacity: blocks)
        filled = SingleProducerQueue(capacity: blocks)
        self.channels = channels
        self.capacityFrames = (blocks - 1) * Self.blockFrames
        memory = .allocate(byteCount: 256, alignment: 128)
        writer = memory.bindMemory(to: Writer.self, capacity: 1)
        writer.initialize(to: Writer())
        taken = (memory + 128).bindMemory(to: Int.self, capacity: 1)
        taken.initialize(to: 0)
        headers = .allocate(capacity: blocks)
        headers.initialize(repeating: Header(), count: blocks)
        samples = .allocate(capacity: blocks * Self.blockFrames * channels)
        samples.initialize(repeating: 0, count: blocks * Self.blockFrames * channels)
        for block in 1...blocks { _ = free.enqueue(UInt(block)) }
    }

    deinit {
        memory.deallocate()
        headers.deallocate()
        samples.deallocate()
    }

    /// Called by the writer. Adds samples.
    /// - Parameters:
    ///   - run: the number of the run that the samples belong to; each run counts its frames from 0.
    ///   - first: the index of the first frame in its run.
    @_noLocks public func push(_ block: AudioBlock, run: Int, at first: Int) {
        var done = 0
        while done < block.frames {
            if writer.pointee.open != 0 {
                let header = headers[Int(bitPattern: writer.pointee.open) &- 1]
                if header.frames == Self.blockFrames || header.run != run
                    || header.first &+ header.frames != first &+ done
                {
                    flush()
                }
            }
            if writer.pointee.open == 0 {
                writer.pointee.open = free.dequeue() ?? 0
                guard writer.pointee.open != 0 else {
                    writer.pointee.isBroken = true
                    return
                }
                headers[Int(bitPattern: writer.pointee.open) &- 1] = Header(
                    run: run, first: first &+ done, frames: 0, isDiscontinuous: writer.pointee.isBroken)
                writer.pointee.isBroken = false
            }
            let index = Int(bitPattern: writer.pointee.open) &- 1
            let used = headers[index].frames
            let count = min(Self.blockFrames &- used, block.frames &- done)
            let target = samples + (index &* Self.blockFrames &+ used) &* channels
            for channel in 0..<channels {
                let plane = block.planes[channel] + done
                for frame in 0..<count { target[frame &* channels &+ channel] = Float(plane[frame]) }
            }
            headers[index].frames = used &+ count
            done &+= count
        }
        // A full block can be read at once.
        if writer.pointee.open != 0 && headers[Int(bitPattern: writer.pointee.open) &- 1].frames == Self.blockFrames {
            flush()
        }
    }

    /// Called by the writer. Passes on a block that is not full.
    @_noLocks public func flush() {
        if writer.pointee.open != 0 { _ = filled.enqueue(writer.pointee.open) }
        writer.pointee.open = 0
    }

    /// The result of a read.
    public struct Reading: Sendable {
        public let frames: Int
        public let run: Int
        /// The index of the first frame in its run.
        public let firstFrame: Int
        /// Whether samples were lost before these.
        public let discontinuity: Bool
    }

    /// Called by the reader. Takes consecutive samples of one run, interleaved; 0 frames where the ring is empty.
    public func read(maxFrames: Int, into target: UnsafeMutablePointer<Float>) -> Reading {
        var read = Reading(frames: 0, run: 0, firstFrame: 0, discontinuity: false)
        while read.frames < maxFrames {
            guard let number = filled.peek() else { break }
            let index = Int(bitPattern: number) - 1
            let header = headers[index]
            let first = header.first + taken.pointee
            if read.frames > 0 {
                guard header.run == read.run, first == read.firstFrame + read.frames,
                    !header.isDiscontinuous || taken.pointee > 0
                else { break }
            } else {
                read = Reading(
                    frames: 0, run: header.run, firstFrame: first,
                    discontinuity: header.isDiscontinuous && taken.pointee == 0)
            }
            let count = min(header.frames - taken.pointee, maxFrames - read.frames)
            let source = samples + (index * Self.blockFrames + taken.pointee) * channels
            (target + read.frames * channels).update(from: source, count: count * channels)
            read = Reading(
                frames: read.frames + count, run: read.run, firstFrame: read.firstFrame,
                discontinuity: read.discontinuity)
            taken.pointee += count
            if taken.pointee == header.frames {
                taken.pointee = 0
                if let number = filled.dequeue() { _ = free.enqueue(number) }
            }
        }
        return read
    }
}
