import HDRMetadata

import Testing

@testable import HDRContainer

@Suite struct AudioPrimingTests {
    typealias Build = MovieBuilder

    static let priming = AudioPriming(samples: 1024, rate: 48000)

    /// A movie of a picture and a sound, of 3 s and 2 s in a clock of 600 ticks.
    static func movie(edit: [UInt8] = [], version: UInt8 = 0, duration: UInt64 = 1200, handler: String = "soun")
        -> [UInt8]
    {
        func time(_ value: UInt64) -> [UInt8] {
            version == 1 ? bigEndian(value) : bigEndian(UInt32(truncatingIfNeeded: value))
        }
        func track(_ handler: String, _ duration: UInt64, _ children: [UInt8]...) -> [UInt8] {
            let twice = time(0) + time(0)
            return Build.box(
                "trak",
                Build.fullBox(
                    "tkhd", version: version,
                    twice + bigEndian(UInt32(1)) + bigEndian(UInt32(0)) + time(duration)
                        + [UInt8](repeating: 0, count: 60)),
                children.flatMap { $0 },
                Build.box(
                    "mdia",
                    Build.fullBox(
                        "mdhd", version: version, twice + bigEndian(UInt32(48000)) + time(0) + bigEndian(UInt32(0))),
                    Build.fullBox("hdlr", bigEndian(UInt32(0)) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
                ))
        }
        return Build.box(
            "moov",
            Build.fullBox(
                "mvhd", version: version,
                time(0) + time(0) + bigEndian(UInt32(600)) + time(duration) + [UInt8](repeating: 0, count: 80)),
            track("text", 900), track(handler, duration, edit))
    }

    struct Edit: Equatable {
        var duration: UInt64
        var start: Int64
    }

    static func edits(_ moov: [UInt8]) throws -> (edits: [Edit], track: UInt64, movie: UInt64) {
        let reader = BoxReader(moov)
        var list: [Edit] = []
        var track: UInt64 = 0
        var movie: UInt64 = 0
        try reader.walk { box, _ in
            let at = box.payload.lowerBound
            let isLong = moov[at] == 1
            let number = { BigEndian.number(moov, at: at + (isLong ? $1 : $0), count: isLong ? 8 : 4) ?? 99 }
            switch box.type {
            case "mvhd": movie = number(16, 24)
            case "tkhd": track = number(20, 28)
            case "elst":
                let size = isLong ? 20 : 12
                for index in 0..<Int(BigEndian.u32(moov, at + 4) ?? 0) {
                    let duration = number(8 + index * size, 8 + index * size)
                    let start = number(12 + index * size, 16 + index * size)
                    list.append(
                        Edit(
                            duration: duration,
                            start: isLong
                                ? Int64(bitPattern: start) : Int64(Int32(truncatingIfNeeded: start))))
                }
            default: break
            }
        }
        return (list, track, movie)
    }

    private func patched(_ moov: [UInt8], _ primings: [AudioPriming?]) throws -> [UInt8] {
        var metadata = ContainerMetadata()
        metadata.audio = primings.map { AudioTrackMetadata(priming: $0) }
        let result = try MovieBoxPatcher(flavor: .iso).patch(moov, with: metadata)
        #expect(result.bytes.count == moov.count + result.growth)
        return result.bytes
    }

    @Test(arguments: [0, 1] as [UInt8]) func aMovieLeavesThePrimingOut(_ version: UInt8) throws {
        let result = try Self.edits(try patched(Self.movie(version: version), [Self.priming]))
        // 1024 samples of 48 kHz are 12.8 ticks of 600 Hz.
        #expect(result.edits == [Edit(duration: 1187, start: 1024)])
        #expect(result.track == 1187 && result.movie == 1187)
    }

    /// What the muxer wrote for a sound that begins later keeps its gap.
    @Test func aGapStays() throws {
        let list = Build.fullBox(
            "elst",
            bigEndian(UInt32(2)) + bigEndian(UInt32(300)) + bigEndian(Int32(-1)) + bigEndian(UInt32(1 << 16))
                + bigEndian(UInt32(900)) + bigEndian(Int32(0)) + bigEndian(UInt32(1 << 16)))
        let result = try Self.edits(try patched(Self.movie(edit: Build.box("edts", list)), [Self.priming]))
        #expect(result.edits == [Edit(duration: 300, start: -1), Edit(duration: 887, start: 1024)])
    }

    /// A fragmented movie has no durations.
    @Test func unknownDurationsStay() throws {
        let result = try Self.edits(try patched(Self.movie(duration: 0), [Self.priming]))
        #expect(result.edits == [Edit(duration: 0, start: 1024)] && result.track == 0)
    }

    @Test func otherTracksStay() throws {
        let movie = Self.movie()
        #expect(try patched(movie, [nil]) == movie)
        #expect(try patched(movie, [AudioPriming(samples: 0, rate: 48000)]) == movie)
        #expect(try patched(movie, [nil, Self.priming]) == movie)
    }

    /// Broken lists are refused or left alone, and no number is too large.
    @Test func hostileLists() throws {
        for count in [UInt32.max, 2, 1] {
            let list = Build.fullBox("elst", version: 1, bigEndian(count) + [UInt8](repeating: 0xff, count: 20))
            let result = try patched(
                Self.movie(edit: Build.box("edts", list)), [AudioPriming(samples: .max, rate: 1)])
            #expect(!result.isEmpty)
        }
        _ = try patched(Self.movie(), [AudioPriming(samples: .max, rate: 0)])
    }

    @Test func matroskaSaysTheDelay() throws {
        typealias Build = MatroskaBuilder
        let sound = Build.element(
            MatroskaID.trackEntry, Build.number(MatroskaID.trackNumber, 2), Build.number(MatroskaID.trackType, 2))
        let tracks = Build.tracks(Build.videoTrack(), sound)
        var metadata = ContainerMetadata()
        metadata.audio = [AudioTrackMetadata(priming: Self.priming)]
        let once = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        let delay = Build.number(MatroskaID.codecDelay, 21_333_333, count: 4)
        #expect(once.count == tracks.count + delay.count && Array(once.suffix(delay.count)) == delay)
        #expect(try MatroskaTracksPatcher(metadata: metadata).patch(once) == once)
    }
}
