import Foundation
import TestSupport
import PluginSupport
import Testing

/// The project as Meson sees it: as a subproject of an application, and installed.
@Suite(
    .serialized,
    .enabled(
        if: Command.exists("meson") && Command.exists("ninja"),
        "meson is not there: apt-get install meson ninja-build"))
struct MesonTests {
    private static let program = """
        #include <gst/hdr/gsthdrtap.h>
        #include <gst/hdr/gsthdrversion.h>
        static void process(GstHdrAudioTap *tap, guint frames, guint flags, GstHdrTapAudioBufferList *list,
                            guint *frames_out, guint *flags_out) {
            gst_hdr_tap_get_source_audio(tap, frames, list, NULL, NULL, frames_out);
        }
        int main(int argc, char **argv) {
            gst_init(&argc, &argv);
            GstHdrTapAudioCallbacks callbacks = {.size = sizeof(callbacks), .process = process};
            GstElement *tap = gst_element_factory_make("hdrtap", NULL);
            if (!tap || !gst_hdr_tap_set_audio_callbacks(tap, &callbacks, NULL, NULL, NULL)) return 1;
            g_print("hdrtap %s\\n", GST_HDR_VERSION);
            gst_object_unref(tap);
            return 0;
        }
        """

    private func meson(_ arguments: [String]) throws { _ = try GstTool.build("meson", arguments) }

    private var version: String {
        get throws {
            try GstTool.build(Repository.path("meson-wrap/version"), []).output.trimmingCharacters(in: .newlines)
        }
    }

    /// An application with the wrap file as it is, and this clone where the wrap's address would put one.
    @Test(.swiftIsThere) func anApplicationWithThisAsASubproject() throws {
        let scratch = try TemporaryFolder()
        let projects = scratch.url("application/subprojects")
        try FileManager.default.createDirectory(at: projects, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Repository.path("meson-wrap/gst-hdr.wrap"),
            toPath: projects.appendingPathComponent("gst-hdr.wrap").path)
        try FileManager.default.createSymbolicLink(
            atPath: projects.appendingPathComponent("gst-hdr").path, withDestinationPath: Repository.root.path)
        _ = try scratch.write(Self.program, to: "application/main.c")
        _ = try scratch.write(
            """
            project('application', 'c')
            executable('application', 'main.c', dependencies: dependency('gstreamer-hdr-1.0'))
            """, to: "application/meson.build")
        try meson(["setup", scratch.path("build"), scratch.path("application")])
        try meson(["compile", "-C", scratch.path("build")])
        let plugins = scratch.path("build/subprojects/gst-hdr/meson-wrap")
        let outcome = try GstTool.run(
            scratch.path("build/application"),
            environment: ["GST_PLUGIN_PATH": plugins, "GST_REGISTRY": scratch.path("r")])
        expectClean(outcome)
        #expect(outcome.output == "hdrtap \(try version)\n")
        let tool = try GstTool.run("\(plugins)/hdr", ["--version"])
        #expect(tool.output == "hdr \(try version)\n")
    }

    /// Plugin, command, library, headers and pkg-config file, in the places where programs look for them.
    @Test(.swiftIsThere) func anInstallation() throws {
        let scratch = try TemporaryFolder()
        let prefix = scratch.path("prefix")
        try meson(["setup", scratch.path("build"), Repository.root.path, "--prefix", prefix, "--libdir", "lib"])
        try meson(["install", "-C", scratch.path("build"), "--quiet"])
        for (program, words) in [("hdr", ["--version"]), ("gst-inspect-1.0", ["hdrconvert"])] {
            let found = try GstTool.run(
                "meson", ["devenv", "-C", scratch.path("build"), program] + words,
                environment: ["GST_PLUGIN_PATH": "", "GST_REGISTRY": scratch.path("devenv")], timeout: 60)
            #expect(found.status == 0, "\(found)")
        }
        let plugins = "\(prefix)/lib/gstreamer-1.0"
        let files = try FileManager.default.contentsOfDirectory(atPath: plugins).sorted()
        #expect(files == ["libgsthdr.so", "libgsthdrx265.so"])
        for file in ["lib/libgsthdr-1.0.so.0", "lib/libgsthdr-1.0.so", "include/gstreamer-1.0/gst/hdr/hdr.h"] {
            #expect(FileManager.default.fileExists(atPath: "\(prefix)/\(file)"), "\(file)")
        }
        if Command.exists("g-ir-scanner") {
            for file in ["lib/girepository-1.0/GstHdr-1.0.typelib", "share/gir-1.0/GstHdr-1.0.gir"] {
                #expect(FileManager.default.fileExists(atPath: "\(prefix)/\(file)"), "\(file)")
            }
        }
        let tool = try GstTool.run("\(prefix)/bin/hdr", ["--version"])
        #expect(tool.output == "hdr \(try version)\n", "\(tool)")
        let source = try scratch.write(Self.program, to: "main.c")
        let line = "cc '\(source)' -o '\(scratch.path("program"))' $(pkg-config --cflags --libs gstreamer-hdr-1.0)"
        let settings = ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"]
        let compiled = try GstTool.run("/bin/sh", ["-c", line], environment: settings, timeout: 60)
        #expect(compiled.status == 0, "\(compiled)")
        let folder = try GstTool.run(
            "pkg-config", ["--variable=pluginsdir", "gstreamer-hdr-1.0"], environment: settings)
        #expect(folder.output == plugins + "\n", "\(folder)")
        let outcome = try GstTool.run(
            scratch.path("program"),
            environment: [
                "GST_PLUGIN_PATH": plugins, "GST_REGISTRY": scratch.path("r"), "LD_LIBRARY_PATH": "\(prefix)/lib",
            ])
        expectClean(outcome)
        #expect(outcome.output == "hdrtap \(try version)\n")
    }

    /// The C library alone, for machines without Swift and for others than this one, below a folder that stands for
    /// the root; and built once.
    @Test(arguments: [false, true]) func theLibraryAlone(isCrossBuild: Bool) throws {
        let scratch = try TemporaryFolder()
        var options = ["-Dplugin=disabled"]
        if isCrossBuild {
            let tools = "c = 'cc'\nar = 'ar'\nstrip = 'strip'\npkgconfig = 'pkg-config'"
            let machine = "system = 'linux'\ncpu_family = 'x86_64'\ncpu = 'x86_64'\nendian = 'little'"
            let file = try scratch.write("[binaries]\n\(tools)\n[host_machine]\n\(machine)\n", to: "cross.ini")
            // The plugin is left out by itself.
            options = ["--cross-file", file]
        }
        let build = scratch.path("build")
        let setup = ["setup", build, Repository.root.path, "--prefix", "/opt/hdr", "--libdir", "lib"] + options
        let said = try GstTool.build("meson", setup).output
        #expect(said.contains(#/plugin and command: NO/#), "\(said)")
        try meson(["compile", "-C", build])
        let again = try GstTool.build("ninja", ["-C", build]).output
        #expect(again.contains("no work to do"), "\(again)")
        try meson(["setup", "--reconfigure", build, Repository.root.path] + options)
        let root = scratch.path("root")
        let installed = try GstTool.run(
            "meson", ["install", "-C", build], environment: ["DESTDIR": root], timeout: 120)
        #expect(installed.status == 0, "\(installed)")
        let files = Set(try FileManager.default.subpathsOfDirectory(atPath: root))
        let gir = ["lib/girepository-1.0/GstHdr-1.0.typelib"]
        let wanted = [
            "include/gstreamer-1.0/gst/hdr/hdr.h", "lib/libgsthdr-1.0.so.0", "lib/pkgconfig/gstreamer-hdr-1.0.pc",
        ]
        #expect(Set(wanted.map { "opt/hdr/" + $0 }).isSubset(of: files))
        let package = try String(contentsOfFile: "\(root)/opt/hdr/\(wanted[2])", encoding: .utf8)
        for name in ["audio", "video"] { #expect(package.contains("gstreamer-\(name)-1.0 >= 1.22"), "\(package)") }
        // Code that is installed is optimised.
        let commands = try String(contentsOfFile: "\(build)/compile_commands.json", encoding: .utf8)
        #expect(commands.contains(" -O2 "), "\(commands)")
        #expect(gir.allSatisfy { files.contains("opt/hdr/" + $0) != isCrossBuild } || !Command.exists("g-ir-scanner"))
        #expect(!files.contains { $0.hasSuffix("libgsthdr.so") || $0.hasSuffix("bin/hdr") }, "\(files)")
        if isCrossBuild {
            let refused = try GstTool.run(
                "meson", ["setup", scratch.path("other"), Repository.root.path, "-Dplugin=enabled"] + options)
            #expect(refused.status != 0 && refused.output.contains("plugin and command are not cross-built"))
        }
    }

    /// The pages as a site.
    @Test(.enabled(if: Command.exists("docc"), "it comes with the Swift toolchain")) func theSite() throws {
        let scratch = try TemporaryFolder()
        try meson(["setup", scratch.path("build"), Repository.root.path, "-Dplugin=disabled"])
        try meson(["compile", "-C", scratch.path("build"), "site"])
        let site = scratch.path("build/packaging/site")
        for file in ["index.html", "documentation/gsthdr/hdrconvert/index.html"] {
            #expect(FileManager.default.fileExists(atPath: "\(site)/\(file)"), "\(file)")
        }
        // Links lead to pages of the site, and not to files of the repository.
        let data = FileManager.default.enumerator(atPath: "\(site)/data")?.compactMap { $0 as? String } ?? []
        #expect(data.count > 20)
        for file in data where file.hasSuffix(".json") {
            let text = try String(contentsOfFile: "\(site)/data/\(file)", encoding: .utf8)
            #expect(!text.contains(/"(?:url|destination)":"[^"]*\.(?:md|c|py|rs|swift)"/), "\(file)")
        }
    }
}
