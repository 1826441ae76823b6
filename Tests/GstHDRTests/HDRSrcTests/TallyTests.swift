import Testing

@testable import GstHDR

@Suite struct TallyTests {
    private let name = ShownName(Array("clip.mov".utf8))
    private let frame: UInt64 = 40_000_000

    private func tally(
        packets: Int, frames: Int, damaged: Int = 0, seesGaps: Bool = false, isFramePerPacket: Bool = true,
        times: (Int) -> UInt64? = { UInt64($0) * 40_000_000 }
    ) -> Tally {
        let tally = Tally(seesGaps: seesGaps, isFramePerPacket: isFramePerPacket)
        for _ in 0..<packets { tally.addPacket() }
        for index in 0..<frames { tally.addFrame(isDamaged: index < damaged, at: times(index), lasting: frame) }
        return tally
    }

    @Test func wholeVideos() {
        #expect(tally(packets: 100, frames: 100).verdict(name) == .whole)
        // Decoders may make two frames of a packet, and none of others where a codec has packets that are not shown.
        #expect(tally(packets: 50, frames: 100).verdict(name) == .whole)
        #expect(tally(packets: 100, frames: 50, isFramePerPacket: false).verdict(name) == .whole)
    }

    @Test func aFewFrames() {
        #expect(
            tally(packets: 100, frames: 99).verdict(name)
                == .note("1 of 100 frames of clip.mov are damaged or could not be decoded"))
        #expect(
            tally(packets: 100, frames: 97, damaged: 7).verdict(name)
                == .note("10 of 100 frames of clip.mov are damaged or could not be decoded"))
    }

    @Test func tooMany() {
        #expect(tally(packets: 100, frames: 80).verdict(name) == .lost(20))
        #expect(tally(packets: 10, frames: 10, damaged: 10).verdict(name) == .lost(100))
        #expect(tally(packets: 100, frames: 0).verdict(name) == .nothing)
        #expect(tally(packets: 0, frames: 0).verdict(name) == .nothing)
    }

    /// A pause of 2.5 s, in a video of 40 s.
    @Test func pauses() {
        func times(_ index: Int) -> UInt64? { UInt64(index) * frame + (index < 500 ? 0 : 2_500_000_000) }
        #expect(
            tally(packets: 1000, frames: 1000, seesGaps: true, times: times).verdict(name)
                == .note("clip.mov has gaps of 2.5 seconds, it may be damaged"))
        #expect(tally(packets: 1000, frames: 1000, times: times).verdict(name) == .whole)
        // The half of a short one.
        func early(_ index: Int) -> UInt64? { UInt64(index) * frame + (index < 25 ? 0 : 2_000_000_000) }
        let short = tally(packets: 50, frames: 50, seesGaps: true, times: early)
        #expect(short.verdict(name) == .lost(50))
        #expect(short.verdict(name, gapsAreMeant: { true }) == .whole)
        // What is lost besides is lost all the same.
        let lost = tally(packets: 100, frames: 50, seesGaps: true, times: early)
        #expect(lost.verdict(name, gapsAreMeant: { true }) == .lost(50))
        var isAsked = false
        _ = tally(packets: 50, frames: 50, seesGaps: true).verdict(name) {
            isAsked = true
            return true
        }
        #expect(!isAsked)
    }

    /// A file of 4 s, whose video ends at 2 s because the rest of the file was overwritten, or because its sound is
    /// longer.
    @Test func dataThatBreakOff() {
        func ending(_ end: UInt64, of duration: UInt64?, isBroken: Bool = true, isWhole: Bool = true) -> Tally.Verdict {
            let tally = Tally(seesGaps: false, isFramePerPacket: true)
            for time in stride(from: 0, to: end, by: 40_000_000) { tally.addPacket(until: time + 40_000_000) }
            if !isWhole { tally.becomePartial() }
            return tally.ending(name, of: duration) { isBroken }
        }
        let (half, whole): (UInt64, UInt64) = (2_000_000_000, 4_000_000_000)
        #expect(ending(half, of: whole) == .brokenOff(50))
        #expect(ending(half, of: whole, isBroken: false) == .whole)
        #expect(ending(half, of: whole, isWhole: false) == .whole)
        #expect(ending(half, of: nil) == .whole && ending(whole, of: half) == .whole && ending(0, of: whole) == .whole)
        #expect(ending(whole - 80_000_000, of: whole) == .whole)
        #expect(
            ending(60_000_000_000, of: 62_500_000_000)
                == .note("the data of clip.mov break off 2.5 seconds before its end"))
        // Sound goes on behind the video.
        let longer = Tally(seesGaps: false, isFramePerPacket: true)
        longer.addPacket(until: half)
        longer.addSound(until: whole - 50_000_000)
        #expect(longer.ending(name, of: whole) { true } == .whole)
        #expect(longer.ending(name, of: 2 * whole) { true } == .brokenOff(51))
        let tally = Tally(seesGaps: false, isFramePerPacket: true)
        tally.addPacket(until: .max)
        tally.addPacket()
        #expect(tally.ending(name, of: .max) { true } == .whole)
    }

    /// Parts of a file of 10 s, whose data end at 5 s.
    @Test func dataThatBreakOffInAPart() {
        let second: UInt64 = 1_000_000_000
        func ending(_ start: UInt64, _ stop: UInt64, until end: UInt64 = 5, isPartial: Bool = false) -> Tally.Verdict {
            let tally = Tally(seesGaps: false, isFramePerPacket: true)
            tally.addPacket(until: 10 * second)
            tally.restart(isPart: true)
            tally.addPacket(until: end * second)
            if isPartial { tally.becomePartial() }
            return tally.ending(name, of: 10 * second, part: (start * second, stop * second)) { true }
        }
        #expect(ending(1, 0) == .brokenOff(56))
        #expect(ending(0, 9) == .brokenOff(44))
        #expect(ending(4, 6) == .brokenOff(50))
        #expect(ending(1, 20) == .brokenOff(56))
        #expect(ending(1, 0, isPartial: true) == .whole)
        #expect(ending(1, 5) == .whole && ending(12, 0) == .whole && ending(2, 1, until: 0) == .whole)
        #expect(ending(8, 0, until: 3) == .brokenOff(100))
        // The packets that are decoded before the first one behind the stop need not be shown up to it.
        let tally = Tally(seesGaps: false, isFramePerPacket: true)
        tally.restart(isPart: true)
        tally.addPacket(until: 4 * second - second / 4)
        #expect(tally.ending(name, of: 10 * second, part: (3 * second, 4 * second)) { true } == .whole)
        // Of a part that an application has chosen by a seek, the end is not known.
        let sought = Tally(seesGaps: false, isFramePerPacket: true)
        sought.restart()
        sought.addPacket(until: second)
        #expect(sought.ending(name, of: 10 * second, part: (1, 0)) { true } == .whole)
    }

    @Test func nothingIsJudgedOfAPart() {
        let partial = tally(packets: 100, frames: 10)
        partial.becomePartial()
        #expect(partial.verdict(name) == .whole)
        let sought = tally(packets: 100, frames: 10)
        sought.restart()
        #expect(sought.verdict(name) == .whole)
    }

    @Test func timesAtTheLimit() {
        let tally = Tally(seesGaps: true, isFramePerPacket: true)
        tally.addPacket()
        for time in [UInt64.max, 0, UInt64.max - 1, 5] {
            tally.addFrame(isDamaged: false, at: time, lasting: UInt64.max)
        }
        // The first frame comes as late as can be: nothing was there before.
        #expect(tally.verdict(name) == .lost(100))
        #expect(tally.verdict(name, gapsAreMeant: { true }) == .whole)
        // One without a time counts all the same.
        tally.addFrame(isDamaged: true, at: nil, lasting: nil)
        #expect(tally.verdict(name, gapsAreMeant: { true }) == .lost(100))
    }
}
