import Testing
import TestSupport

@testable import HDRExport

@Suite struct DebianPackageTests {
    @Test(
        arguments: [
            ("x265enc", "gstreamer1.0-plugins-bad"), ("x264enc", "gstreamer1.0-plugins-ugly"),
            ("avenc_prores_ks", "gstreamer1.0-libav"), ("nvh265enc", "gstreamer1.0-plugins-bad"),
            ("vah264lpenc", "gstreamer1.0-plugins-bad"), ("qsvh265enc", "gstreamer1.0-plugins-bad"),
            ("av1parse", "gstreamer1.0-plugins-bad"), ("qtmux", "gstreamer1.0-plugins-good"),
            ("av1dec", "gstreamer1.0-plugins-bad"), ("qtdemux", "gstreamer1.0-plugins-good"),
            ("pngenc", "gstreamer1.0-plugins-good"), ("queue", "libgstreamer1.0-0"),
            ("parsebin", "gstreamer1.0-plugins-base"), ("hdrx265enc", "gstreamer1.0-hdr-x265"),
        ])
    func elements(_ element: String, _ package: String) {
        #expect(DebianPackage.of(element: element) == package)
    }

    /// The system knows which package a plugin's file is from.
    @Test(
        .enabled(
            if: Command.exists("gst-inspect-1.0") && Command.exists("dpkg"), "GStreamer's tools or dpkg are missing"))
    func elementsAreInTheirPackages() throws {
        let names = DebianPackage.elements.flatMap(\.names) + ["parsebin", "decodebin", "videoconvert", "audioconvert"]
        let script = """
            for name; do
                file=$(gst-inspect-1.0 "$name" 2>/dev/null | sed -n 's/^ *Filename *//p')
                [ -f "$file" ] && echo "$name $(dpkg -S "*/${file##*/}" 2>/dev/null | cut -d: -f1 | head -n 1)"
            done
            """
        let found = try Command("bash", ["-c", script, "bash"] + names.sorted()).runToEnd()
        let rows = found.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.count > 20, "\(found)")
        for row in rows where row.count == 2 && row[0] != EncoderOptions.own {
            #expect(DebianPackage.of(element: row[0]) == row[1], "\(row)")
        }
    }

    @Test func mediaTypes() {
        #expect(DebianPackage.of(mediaType: "decoder-video/x-matroska") == "gstreamer1.0-plugins-good")
        #expect(DebianPackage.of(mediaType: "video/mpegts") == "gstreamer1.0-plugins-bad")
        let decoder = "gstreamer|1.0|hdr|H.265 (Main 10 Profile) decoder|decoder-video/x-h265"
        #expect(DebianPackage.of(mediaType: decoder) == "gstreamer1.0-libav")
        #expect(DebianPackage.known(element: "nosuchsink") == nil)
        #expect(DebianPackage.of(mediaType: "video/x-unknown").contains("libav"))
    }
}
