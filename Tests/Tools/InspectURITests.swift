import Foundation
import PluginSupport
import TestSupport
import Testing

/// `gst_hdr_inspect_uri` of the C library.
@Suite(
    .enabled(
        if: Command.exists("meson") && Command.exists("ninja") && Command.exists("g-ir-scanner"),
        "apt-get install meson ninja-build gobject-introspection libgirepository1.0-dev"))
struct InspectURITests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    private static let program = """
        #include <gst/hdr/hdr.h>

        static void show(const GstStructure *structure, const gchar *field) {
            gchar *text = gst_value_serialize(gst_structure_get_value(structure, field));
            g_print("%s=%s ", field, text);
            g_free(text);
        }

        static const GstStructure *item(const GValue *array, guint index) {
            return gst_value_get_structure(gst_value_array_get_value(array, index));
        }

        int main(int argc, char **argv) {
            gst_init(&argc, &argv);
            GError *error = NULL;
            GstHdrInspectFlags flags = (GstHdrInspectFlags)atoi(argv[1]);
            GstStructure *found = gst_hdr_inspect_uri(argv[2], flags, GST_CLOCK_TIME_NONE, &error);
            if (!found) {
                g_print("%s", error->message);
                return 0;
            }
            show(found, "contains-hdr");
            const GValue *streams = gst_structure_get_value(found, "streams");
            for (guint i = 0; i < gst_value_array_get_size(streams); i++) {
                const GstStructure *stream = item(streams, i);
                g_print("\\n%s ", gst_structure_get_string(stream, "kind"));
                if (!gst_structure_has_field(stream, "parts"))
                    continue;
                show(stream, "contains-hdr");
                show(stream, "dynamic-metadata");
                const GValue *parts = gst_structure_get_value(stream, "parts");
                for (guint k = 0; k < gst_value_array_get_size(parts); k++) {
                    guint64 start = 0, end = 0;
                    gst_structure_get_uint64(item(parts, k), "start", &start);
                    gst_structure_get_uint64(item(parts, k), "end", &end);
                    g_print("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " ",
                            gst_structure_get_string(item(parts, k), "dynamic-range"), start / GST_MSECOND,
                            end / GST_MSECOND);
                    if (argc > 3)
                        g_print("%s ", gst_structure_get_string(item(parts, k), argv[3]));
                }
            }
            gst_structure_free(found);
            return 0;
        }
        """

    private func inspect(_ path: String, whole: Bool = false, shows field: String? = nil) throws -> [String] {
        let uri = path.contains("://") ? path : "file://" + path
        let said = try LibraryBuild.shared.get().run(
            "#include <stdlib.h>\n" + Self.program, with: "cc", [whole ? "1" : "0", uri] + (field.map { [$0] } ?? []))
        return said.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func clip(_ color: String, sound: Bool = false) throws -> String {
        let path = scratch.path("\(color).mkv")
        let line =
            "videotestsrc num-buffers=25 ! video/x-raw,format=I420_10LE,width=64,height=64,framerate=25/1,"
            + "colorimetry=\(color) ! x265enc speed-preset=ultrafast ! h265parse ! matroskamux name=m "
            + "! filesink location=\(path)"
            + (sound ? " audiotestsrc num-buffers=20 ! opusenc ! m." : "")
        expectClean(try GstTool.launch(line, timeout: 60))
        return path
    }

    @Test(arguments: [("bt2100-pq", "PQ"), ("bt2100-hlg", "HLG"), ("bt709", "SDR")])
    func streamsSayTheirDynamicRange(_ color: String, _ range: String) throws {
        let found = try inspect(try clip(color, sound: true))
        let isHDR = range != "SDR"
        #expect(found.first == "contains-hdr=\(isHDR)")
        #expect(Set(found.dropFirst()) == ["video contains-hdr=\(isHDR) dynamic-metadata=<  > \(range) 0 0", "audio"])
    }

    /// GStreamer's own decoder of these files reads 8 bits alone. They have no transfer function.
    @Test(arguments: [("C420jpeg", 1), ("C420p10", 2)]) func rawPictures(_ format: String, bytes: Int) throws {
        let path = scratch.path("pictures.y4m")
        let frame = Data("FRAME\n".utf8) + Data(repeating: 1, count: 16 * 16 * 3 / 2 * bytes)
        try (Data("YUV4MPEG2 W16 H16 F25:1 Ip A1:1 \(format)\n".utf8) + frame + frame).write(
            to: URL(fileURLWithPath: path))
        for whole in [false, true] {
            #expect(
                try inspect(path, whole: whole)
                    == ["contains-hdr=false", "video contains-hdr=false dynamic-metadata=<  > unknown 0 0"])
        }
    }

    /// A stream that is HLG first and PQ then: only reading all of it finds the second part.
    @Test func partsOfAnotherRangeAreFound() throws {
        let path = scratch.path("parts.ts")
        let clips = try ["bt2100-hlg", "bt2100-pq"].map { try clip($0) }
        let sources = clips.map { "filesrc location=\($0) ! matroskademux ! h265parse ! k." }
        expectClean(
            try GstTool.launch(
                "concat name=k ! h265parse ! video/x-h265,stream-format=byte-stream ! mpegtsmux "
                    + "! filesink location=\(path) " + sources.joined(separator: " "), timeout: 60))
        let whole = try #require(try inspect(path, whole: true).last).split(separator: " ").suffix(6)
        let (first, second) = (Array(whole.prefix(3)), Array(whole.suffix(3)))
        #expect(first.first == "HLG" && second.first == "PQ" && first[2] == second[1] && second[2] == "0")
        let start = try #require(Int(first[1])), end = try #require(Int(first[2]))
        #expect(end - start == 1000)
        #expect(try #require(try inspect(path).last).hasSuffix("HLG \(start) 0"))
    }

    @Test(
        Samples.areThere,
        arguments: [
            ("iphone-dolby-vision-8.4-hlg.mov", "Dolby Vision", "HLG"), ("hdr10-plus.mkv", "HDR10+", "PQ"),
        ])
    func dynamicMetadataAreNamed(_ sample: String, _ name: String, _ range: String) throws {
        let found = try inspect(Samples.path(sample))
        #expect(found.first == "contains-hdr=true")
        let isNamed = found.contains { line in
            line.replacing("\\", with: "").contains(name) && line.hasSuffix("\(range) 0 0")
        }
        #expect(isNamed, "\(found)")
    }

    /// Parsers tell caps twice before the first packet, and the second ones alone have what the stream says.
    @Test(
        Samples.areThere,
        arguments: ["hdr10-plus.mkv", "dolby-vision-8.1-hdr10.mkv", "hdr10-plus-no-colr.mp4"], [false, true])
    func lightLevelsAreTold(_ sample: String, whole: Bool) throws {
        let found = try inspect(Samples.path(sample), whole: whole, shows: "content-light-level")
        #expect(found.contains { $0.contains("1000:") }, "\(found)")
    }

    /// A file without packets ends the wait, though GStreamer does not always say so.
    @Test func aFileThatEndsEarly() throws {
        let path = scratch.path("cut.mp4")
        let head = Data([0, 0, 0, 16]) + Data("ftypisom".utf8) + Data([0, 0, 2, 0])
        try head.write(to: URL(fileURLWithPath: path))
        for _ in 0..<8 { #expect(try inspect(path).count == 1) }
    }

    @Test func whatCannotBeReadIsNamed() throws {
        let text = scratch.path("text.txt")
        try String(repeating: "This is no clip.\n", count: 50).write(toFile: text, atomically: true, encoding: .utf8)
        #expect(try inspect(text) == ["file://\(text): This appears to be a text file"])
        #expect(try inspect("/nowhere/clip.mkv").first?.hasPrefix("file:///nowhere/clip.mkv: ") == true)
        #expect(try inspect("nowhere://x").first?.contains("nowhere") == true)
        #expect(
            try LibraryBuild.shared.get().run(
                "#include <stdlib.h>\n" + Self.program, with: "cc", ["0", "clip.mkv"])
                == "'clip.mkv' is no URI: make one of a path with gst_filename_to_uri()")
    }
}
