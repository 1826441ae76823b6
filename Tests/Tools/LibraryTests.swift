import CMockCompositor
import Foundation
import PluginSupport
import TestSupport
import Testing

/// The C library libgsthdr-1.0 as programs of other languages see it.
@Suite(
    .enabled(
        if: Command.exists("meson") && Command.exists("ninja") && Command.exists("g-ir-scanner"),
        "apt-get install meson ninja-build gobject-introspection libgirepository1.0-dev"))
struct LibraryTests {
    /// What a program that was built before still finds, as Debian's package lists it: these are only ever added to,
    /// until the SONAME changes.
    private static let functions: Set<String> = {
        let text = try? String(contentsOfFile: Repository.path("packaging/libgsthdr-1.0-0.symbols"), encoding: .utf8)
        return Set(text?.matches(of: #/^ (\S+)@Base /#.anchorsMatchLineEndings()).map { String($0.1) } ?? [])
    }()

    /// Bytes, on machines of 64 bits. Structures that users fill say their size themselves, and may grow at the end.
    private static let sizes = [
        "GstHdrTapAudioBuffer": 16, "GstHdrTapAudioBufferList": 16, "GstHdrTapTimeRange": 24,
        "GstHdrTapAudioCallbacks": 48, "GstHdrTapVideoFormat": 40, "GstHdrTapVideoTimes": 48,
        "GstHdrCompositorCallbacks": 72, "GstHdrCompositing": 24, "GstHdrRenderContext": 56,
        "GstHdrCompositionSource": 80, "GstHdrCompositionRequest": 136, "GstHdrTapVideoFrame": 56,
        "GstHdrTapVideoCallbacks": 48, "GstHdrAudioTap": 48, "GstHdrVideoTap": 40, "GstHdrQueue": 192,
        "GstHdrDynamicMeta": 48, "GstHdrTapAudioBlock": 72, "GstHdrTimebaseClass": 136,
    ]

    @Test func theBinaryInterface() throws {
        let build = try LibraryBuild.shared.get()
        let symbols = try GstTool.build("nm", ["-D", "--defined-only", build.library]).output
        let names = symbols.split(separator: "\n").compactMap { $0.split(separator: " ").last }.map(String.init)
        #expect(Set(names) == Self.functions && names.count > 30)
        let header = try GstTool.build("readelf", ["-dW", build.library]).output
        let entries = header.matches(of: /\((NEEDED|SONAME)\).*\[(.*)\]/).map { "\($0.1) \($0.2)" }
        #expect(
            Set(entries) == [
                "SONAME libgsthdr-1.0.so.0", "NEEDED libgstreamer-1.0.so.0", "NEEDED libgobject-2.0.so.0",
                "NEEDED libgstcontroller-1.0.so.0", "NEEDED libgstvideo-1.0.so.0", "NEEDED libglib-2.0.so.0",
                "NEEDED libgio-2.0.so.0", "NEEDED libgstbase-1.0.so.0",
                "NEEDED libc.so.6",
            ])
    }

    @Test func structuresKeepTheirSizes() throws {
        let lines = Self.sizes.sorted { $0.key < $1.key }.map {
            "_Static_assert(sizeof(\($0.key)) == \($0.value), \"\");"
        }
        let source = "#include <gst/hdr/hdr.h>\n\(lines.joined(separator: "\n"))\nint main(void) { return 0; }\n"
        #expect(try LibraryBuild.shared.get().run(source, with: "cc -std=c11").isEmpty)
    }

    @Test(arguments: ["gcc -std=c11", "clang -std=c11", "g++ -std=c++17", "clang++ -std=c++17"])
    func aProgramWithoutCasts(compiler: String) throws {
        let output = try LibraryBuild.shared.get().run(
            """
            #include <gst/hdr/hdr.h>
            int main(int argc, char **argv) {
                gst_init(&argc, &argv);
                GError *error = NULL;
                GstElement *pipeline = gst_parse_launch("videotestsrc ! fakesink sync=true", NULL);
                GstClock *clock = gst_system_clock_obtain();
                GstHdrTimebase *timebase = gst_hdr_get_timebase(pipeline);
                gst_element_set_state(pipeline, GST_STATE_PAUSED);
                GstClockTime start = gst_clock_get_time(clock) + GST_SECOND;
                if (!gst_hdr_use_master_clock(pipeline, clock, &error) ||
                    !gst_hdr_set_rate_time_at_host_time(pipeline, 2, GST_SECOND, start, &error))
                    return 1;
                g_print("%" G_GINT64_FORMAT, gst_hdr_sync_convert_time((GstClockTimeDiff)start + 5, clock, timebase));
                gst_element_set_state(pipeline, GST_STATE_NULL);
                gst_object_unref(pipeline);
                gst_object_unref(clock);
                g_object_unref(timebase);
                return 0;
            }
            """, with: "\(compiler) -Wcast-qual -Wconversion -Wshadow")
        #expect(output == "1000000010")
    }

    /// A display with HDR, none, and a machine without the plugin.
    @Test func eligibleForHDRPlayback() throws {
        let program = """
            #include <gst/hdr/hdr.h>
            int main(int argc, char **argv) {
                gst_init(&argc, &argv);
                g_print("%d", gst_hdr_eligible_for_hdr_playback());
                return 0;
            }
            """
        let compositor = try HDRCompositor()
        let build = try LibraryBuild.shared.get()
        #expect(try build.run(program, with: "cc", environment: compositor.environment) == "1")
        #expect(mock_frame_count(compositor.mock) == 0, "no window")
        #expect(try build.run(program, with: "cc", environment: Displays.none) == "0")
        let bare = ["GST_PLUGIN_PATH": "", "GST_REGISTRY": build.scratch.path("r"), "GST_REGISTRY_UPDATE": "yes"]
        #expect(try build.run(program, with: "cc", environment: compositor.environment.merging(bare) { $1 }) == "0")
    }

    /// The application's clicks come when the film's seconds do, to the sample.
    @Test(
        arguments: [
            ("1", [24000, 72000, 120000]), ("2", [12000, 36000, 60000, 84000, 108000, 132000]), ("0.5", [48000]),
            ("-1", [23521, 71521, 119521]),
        ] as [(String, [Int])])
    func soundBesideAFilm(rate: String, clicks: [Int]) throws {
        let folder = try TemporaryFolder()
        let source = try String(
            contentsOfFile: Repository.path("Sources/Examples/sound_beside_film.c"), encoding: .utf8)
        let sound =
            "tee name=t ! queue ! wavenc ! filesink location=\(folder.path("s.wav")) "
            + "t. ! queue ! fakesink sync=true"
        let output = try LibraryBuild.shared.get().run(
            source, with: "cc", packages: "gstreamer-hdr-1.0 gstreamer-app-1.0", [rate, "fakesink sync=true", sound])
        #expect(output == "film and sound begin at one instant: yes\n")
        let samples = try WAVFile(contentsOf: folder.url("s.wav")).samples
        #expect(samples.count == 144000)
        let onsets = samples.indices.filter { samples[$0] != 0 && ($0 == 0 || samples[$0 - 1] == 0) }
        #expect(onsets == clicks)
    }

    @Test(
        arguments: [
            ("library.py", "timebases\nfailures\nnetwork\n"),
            (
                "library_taps.py",
                "queues\ndynamic metadata\nsound\nlight\nplanes\nreading\nvideo outputs\ndisplay links\n"
            ),
        ])
    func aPythonProgram(name: String, says: String) throws {
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", Repository.path("Tests/Tools/Programs/" + name)],
            environment: LibraryBuild.shared.get().environment, timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == says, "\(outcome)")
    }

    @Test func sourcesThatAreInspected() throws {
        let folder = try TemporaryFolder()
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", Repository.path("Tests/Tools/Programs/library_inspection.py"), folder.path("")],
            environment: LibraryBuild.shared.get().environment, timeout: 120)
        #expect(outcome.status == 0 && outcome.output == "endless\nslow\norder\n", "\(outcome)")
    }

    @Test(.enabled(if: Command.exists("gjs"), "apt-get install gjs")) func aProgramInJavaScript() throws {
        let outcome = try GstTool.run(
            "gjs", [Repository.path("Tests/Tools/Programs/library.js")],
            environment: LibraryBuild.shared.get().environment, timeout: 60)
        expectClean(outcome)
        #expect(
            outcome.output == "queue of 2, 0 in it\nrate 1001/1000\n18432 bytes of light at 0\n"
                + "sound 480,48000,0.25,0\ntrue\ntrue\n", "\(outcome)")
    }

    @Test(.enabled(if: Command.exists("valac"), "apt-get install valac")) func aProgramInVala() throws {
        let build = try LibraryBuild.shared.get()
        let scratch = try TemporaryFolder()
        let packages = ["gio-2.0", "gstreamer-1.0", "gstreamer-audio-1.0", "gstreamer-video-1.0"]
        let named = packages.flatMap { ["--pkg", $0] }
        let library = ["--library", "gstreamer-hdr-1.0", "--directory", scratch.url.path]
        let metadata = ["--metadatadir", Repository.path("Sources/CHDRLibrary/vala")]
        _ = try GstTool.build("vapigen", library + metadata + named + [build.folder + "/GstHdr-1.0.gir"])
        let program = scratch.path("program")
        // Vala knows no pointers to what is constant.
        let options = ["--vapidir", scratch.url.path, "--pkg", "gstreamer-hdr-1.0", "-X", "-w", "-o", program]
        let compiled = try GstTool.run(
            "valac", ["-q"] + options + named + [Repository.path("Tests/Tools/Programs/library.vala")],
            environment: build.environment, timeout: 60)
        #expect(compiled.status == 0, "\(compiled)")
        let outcome = try GstTool.run(program, environment: build.environment, timeout: 60)
        expectClean(outcome)
        let frames = "3 frames\n1440 frames of sound\n"
        #expect(
            outcome.output == "queue of 2, 0 in it\nrate 1001/1000\n\(frames)prerolled\ntrue\n", "\(outcome)")
    }

    /// A program's own copy of a function in a header, and the library's, at one time.
    @Test func twoCopiesShareOneMeta() throws {
        let source = try String(
            contentsOfFile: Repository.path("Tests/Tools/Programs/two_copies.c"), encoding: .utf8)
        let output = try LibraryBuild.shared.get().run(source, with: "cc")
        #expect(output == "one meta, registered 1 times\n")
    }

    /// A device that plays a quarter faster than the system's clock runs, and goes away, by itself or with its server.
    @Test func theClockOfAnAudioDevice() throws {
        let source = try String(
            contentsOfFile: Repository.path("Tests/Tools/Programs/audio_clock.c"), encoding: .utf8)
        let output = try LibraryBuild.shared.get().run(
            source, with: "cc", packages: "gstreamer-hdr-1.0 gstreamer-audio-1.0")
        let refusals = ["Fast speaker", "sound"].map {
            "No audio device is called '\($0)': there are Fast speakers\n"
        }
        let failures = String(repeating: "The audio device does not play: The device fails early.\n", count: 2)
        #expect(output == failures + "closed all\n" + refusals.joined())
    }
}
