import HDRContainer
import TestSupport
import Testing

/// Playlists with variants in several dynamic ranges.
struct MasterPlaylistTests {
    static let text = """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English, main",LANGUAGE="en",URI="audio/en.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=2000000,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=1920x1080,AUDIO="a"
        sdr/main.m3u8
        # a remark
        #EXT-X-STREAM-INF:BANDWIDTH=9000000,VIDEO-RANGE=PQ,CODECS="hvc1.2.4.L153",AUDIO="a"

        https://cdn.example/pq.m3u8?x=1,2
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100000,VIDEO-RANGE=PQ,URI="thumbs.m3u8"
        #EXT-X-STREAM-INF:VIDEO-RANGE=HLG
        hlg.m3u8

        """

    @Test(arguments: ["\n", "\r\n"])
    func readsVariants(_ newline: String) throws {
        let playlist = try #require(MasterPlaylist(Array(Self.text.replacing("\n", with: newline).utf8)))
        #expect(playlist.variants.map(\.range) == [.sdr, .pq, .hlg])
        #expect(playlist.variants.map(\.bandwidth) == [2_000_000, 9_000_000, 0])
        #expect(playlist.variants.map(\.address) == ["sdr/main.m3u8", "https://cdn.example/pq.m3u8?x=1,2", "hlg.m3u8"])
        #expect(
            playlist.variants[0].codecs == "avc1.640028,mp4a.40.2" && playlist.variants[0].resolution == "1920x1080")
    }

    @Test func keepsOneRangeWithItsSound() throws {
        let playlist = try #require(MasterPlaylist(Array(Self.text.utf8)))
        let text = playlist.text(of: .pq) { $0.contains("://") ? $0 : "http://host/" + $0 }
        #expect(text.hasPrefix("#EXTM3U\n#EXT-X-VERSION:7\n"))
        #expect(text.contains(#"LANGUAGE="en",URI="http://host/audio/en.m3u8""#), "\(text)")
        #expect(text.contains("AUDIO=\"a\"\nhttps://cdn.example/pq.m3u8?x=1,2\n"), "\(text)")
        #expect(!text.contains("sdr/main") && !text.contains("hlg") && !text.contains("thumbs"), "\(text)")
        let again = try #require(MasterPlaylist(Array(text.utf8)))
        #expect(again.ranges == [.pq] && again.variants.count == 1)
    }

    @Test func refusesOtherFiles() {
        for text in [
            "", "#EXTM3U\n", "#EXTM3U\n#EXTINF:4,\na.ts\n", "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n", "\u{0}\u{1}",
        ] {
            #expect(MasterPlaylist(Array(text.utf8)) == nil)
        }
        #expect(MasterPlaylist([UInt8](repeating: 35, count: MasterPlaylist.limit + 1)) == nil)
    }

    /// Damaged playlists are read as far as they go.
    @Test func anyBytes() {
        var generator = SeededGenerator(seed: 8216)
        let whole = Array(Self.text.utf8)
        var read = 0
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                bytes[Int.random(in: 7..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            guard let playlist = MasterPlaylist(bytes) else { continue }
            read += 1
            for range in playlist.ranges {
                let text = playlist.text(of: range) { $0 }
                #expect(text.utf8.count <= bytes.count * 3 + 16)
            }
        }
        #expect(read > 500)
    }
}
