import Foundation
import Synchronization
import Testing

@testable import HDRAudio

@Suite struct SampleRingTests {
    /// Samples whose values show their channel and frame.
    static func planes(_ channels: Int, _ frames: Range<Int>) -> Planes {
        Planes((0..<channels).map { channel in frames.map { Double($0 * 8 + channel) } })
    }

    static func push(_ ring: inout SampleRing, _ frames: Range<Int>, run: Int = 0) {
        let planes = planes(ring.channels, frames)
        withExtendedLifetime(planes) { ring.push(planes.block(), run: run, at: frames.lowerBound) }
    }

    static func read(_ ring: inout SampleRing, _ most: Int = 100_000) -> (SampleRing.Reading, [Float]) {
        var samples = [Float](repeating: -1, count: most * ring.channels)
        let reading = ring.read(maxFrames: most, into: &samples)
        return (reading, Array(samples[..<(reading.frames * ring.channels)]))
    }

    static func expected(_ channels: Int, _ frames: Range<Int>) -> [Float] {
        frames.flatMap { frame in (0..<channels).map { Float(frame * 8 + $0) } }
    }

    @Test(arguments: [1, 2, 5]) func interleaves(_ channels: Int) {
        var ring = SampleRing(channels: channels, capacityFrames: 4000)
        #expect(Self.read(&ring).0.frames == 0)
        Self.push(&ring, 0..<700)
        Self.push(&ring, 700..<701)
        Self.push(&ring, 701..<2000)
        ring.flush()
        var frame = 0
        for most in [1, 10, 255, 257, 1000, 1000] {
            let (reading, samples) = Self.read(&ring, most)
            let count = min(most, 2000 - frame)
            #expect(reading.frames == count && reading.firstFrame == frame)
            #expect(samples == Self.expected(channels, frame..<(frame + count)))
            frame += count
        }
        #expect(Self.read(&ring).0.frames == 0)
    }

    /// Sections, and frames that do not follow, are read apart.
    @Test func neverMixes() {
        var ring = SampleRing(channels: 1, capacityFrames: 4000)
        Self.push(&ring, 0..<300)
        Self.push(&ring, 400..<500)
        Self.push(&ring, 500..<600, run: 1)
        ring.flush()
        for (frames, run) in [(0..<300, 0), (400..<500, 0), (500..<600, 1)] {
            let (reading, samples) = Self.read(&ring)
            #expect(reading.frames == frames.count && reading.firstFrame == frames.lowerBound)
            #expect(reading.run == run && samples == Self.expected(1, frames))
        }
    }

    /// At least the capacity is kept; what does not fit is lost, and the loss is reported.
    @Test func reportsLosses() {
        var ring = SampleRing(channels: 2, capacityFrames: 1000)
        #expect(ring.capacityFrames >= 1000)
        Self.push(&ring, 0..<10000)
        Self.push(&ring, 10000..<10001)
        let (first, samples) = Self.read(&ring)
        #expect(first.frames >= 1000 && first.frames < 2000 && first.firstFrame == 0 && !first.discontinuity)
        #expect(samples == Self.expected(2, 0..<first.frames))
        Self.push(&ring, 20000..<20300)
        Self.push(&ring, 20300..<20301)
        ring.flush()
        let (second, more) = Self.read(&ring)
        #expect(second.firstFrame == 20000 && second.frames == 301 && second.discontinuity)
        #expect(more == Self.expected(2, 20000..<20301))
        Self.push(&ring, 20301..<20400)
        ring.flush()
        #expect(!Self.read(&ring).0.discontinuity)
    }

    /// The ring at a fixed address, for a thread on each side.
    final class Shared: @unchecked Sendable {
        let ring: UnsafeMutablePointer<SampleRing>
        let isDone = Atomic(false)
        let wrong = Atomic(0)
        let read = Atomic(0)
        init(_ channels: Int, _ frames: Int) {
            ring = .allocate(capacity: 1)
            ring.initialize(to: SampleRing(channels: channels, capacityFrames: frames))
        }
        deinit {
            ring.deinitialize(count: 1)
            ring.deallocate()
        }
    }

    @Test func betweenThreads() {
        let shared = Shared(2, 2048)
        let total = 400_000
        concurrently {
            var samples = [Float](repeating: 0, count: 2 * 3000)
            var next = 0
            while true {
                let wasDone = shared.isDone.load(ordering: .acquiring)
                let reading = shared.ring.pointee.read(maxFrames: 3000, into: &samples)
                if reading.frames == 0 {
                    if wasDone { break }
                    sched_yield()
                    continue
                }
                if reading.firstFrame < next || (reading.firstFrame > next && !reading.discontinuity) {
                    shared.wrong.add(1, ordering: .relaxed)
                }
                // Floats hold whole numbers up to 2^24.
                for index in 0..<(2 * reading.frames) {
                    let frame = (reading.firstFrame + index / 2) % 1000
                    if samples[index] != Float(frame * 2 + index % 2) { shared.wrong.add(1, ordering: .relaxed) }
                }
                next = reading.firstFrame + reading.frames
                shared.read.add(reading.frames, ordering: .relaxed)
            }
        } _: {
            var first = 0
            var turn = 0
            while first < total {
                let count = [1, 100, 512, 7, 1024][turn % 5]
                let planes = Planes(
                    (0..<2).map { channel in (0..<count).map { Double((first + $0) % 1000 * 2 + channel) } })
                withExtendedLifetime(planes) {
                    shared.ring.pointee.push(planes.block(), run: 0, at: first)
                }
                first += count
                turn += 1
            }
            shared.ring.pointee.flush()
            shared.isDone.store(true, ordering: .releasing)
        }
        let errors = shared.wrong.load(ordering: .relaxed)
        let frames = shared.read.load(ordering: .relaxed)
        #expect(errors == 0 && frames > 0)
    }
}
