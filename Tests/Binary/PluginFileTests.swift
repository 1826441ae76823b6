import Foundation
import PluginSupport
import Testing
import TestSupport

/// The plugin file's effect on a program: its symbols, its libraries, and the time that it takes to load.
@Suite struct PluginFileTests {
    /// Libraries that every GStreamer program has, or that every Debian has.
    static let allowedLibraries: Set = [
        "libgstvideo-1.0.so.0", "libgstaudio-1.0.so.0", "libgstpbutils-1.0.so.0", "libgstcontroller-1.0.so.0",
        "libgstbase-1.0.so.0", "libgstreamer-1.0.so.0", "libgobject-2.0.so.0", "libglib-2.0.so.0",
        "libm.so.6", "libz.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1",
    ]

    /// The highest symbol versions of Debian 12: glibc 2.36, the libraries of GCC 12 and zlib 1.2.13.
    static let highestVersions: [String: [Int]] = [
        "GLIBC": [2, 36], "GLIBCXX": [3, 4, 30], "CXXABI": [1, 3, 13], "GCC": [12, 0, 0],
        "ZLIB": [1, 2, 13],
    ]

    /// Milliseconds that loading the plugin may take.
    static let loadBudget = 20.0

    /// The plugins by their names, with the library that only one of them has.
    static let plugins = [("hdr", ""), ("hdrx265", "libx265.so")]

    private func file(_ name: String) throws -> String {
        try GstTool.plugin.replacing("libgsthdr.so", with: "libgst\(name).so")
    }

    @Test(arguments: plugins) func onlyThePluginsEntryPointsAreExported(name: String, _: String) throws {
        let outcome = try GstTool.build("nm", ["-D", "--defined-only", try file(name)])
        let symbols = outcome.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        #expect(Set(symbols.map(String.init)) == ["gst_plugin_\(name)_get_desc", "gst_plugin_\(name)_register"])
    }

    @Test(arguments: plugins) func onlyKnownLibrariesAreNeeded(name: String, own: String) throws {
        let outcome = try GstTool.build("readelf", ["-dW", try file(name)])
        let needed = Set(outcome.output.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) })
        #expect(needed.contains("libgstreamer-1.0.so.0"))
        // libx265 is under the GPL, and the plugin hdr is not.
        let others = needed.subtracting(Self.allowedLibraries)
        #expect(others.count == (own.isEmpty ? 0 : 1) && others.allSatisfy { $0.hasPrefix(own) }, "\(others)")
        // A search path would point into the folders of whoever built the file.
        #expect(!outcome.output.contains("RUNPATH"))
        #expect(!outcome.output.contains("RPATH"))
    }

    /// Builds in other folders would not be the same bytes.
    @Test(arguments: plugins) func theFolderOfTheBuildIsNotInIt(name: String, _: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try file(name)))
        #expect(bytes.range(of: Data(Repository.root.path.utf8)) == nil)
    }

    @Test(arguments: plugins) func noSymbolIsNewerThanDebian12(name: String, _: String) throws {
        let outcome = try GstTool.build("readelf", ["-VW", try file(name)])
        let needs = outcome.output.components(separatedBy: "Version needs section").last ?? ""
        let versions = needs.matches(of: /Name: ([A-Z]+)_([0-9.]+)/)
        #expect(!versions.isEmpty)
        for version in versions {
            let name = String(version.1)
            let numbers = version.2.split(separator: ".").compactMap { Int($0) }
            let highest = try #require(Self.highestVersions[name], "unknown kind of version \(version.0)")
            #expect(!highest.lexicographicallyPrecedes(numbers), "\(version.0)")
        }
        #expect(!needs.contains("GLIBC_PRIVATE"))
    }

    @Test func thePluginFolderHoldsThePluginsAlone() throws {
        // GStreamer scans the folder with all its sub-folders and tries every library in it.
        let found = try FileManager.default.subpathsOfDirectory(atPath: GstTool.pluginFolder.path)
        #expect(found.sorted() == ["libgsthdr.so", "libgsthdrx265.so"])
    }

    @Test func loadingIsQuick() throws {
        let scratch = try TemporaryFolder()
        let program = try scratch.compile(Self.loader, as: "loader", packages: ["gstreamer-1.0"])
        let plugin = try GstTool.plugin
        let times = try (0..<11).map { _ in
            let outcome = try GstTool.run(program, [plugin], environment: ["GST_PLUGIN_PATH": ""])
            expectClean(outcome)
            return try #require(Double(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let median = times.sorted()[times.count / 2]
        #expect(median < Self.loadBudget, "milliseconds: \(times)")
    }

    @Test func aTypeIsRegisteredOnlyOnce() throws {
        // The file by its path and by the registry: both must end in the same plugin.
        let scratch = try TemporaryFolder()
        let program = try scratch.compile(Self.loader, as: "loader", packages: ["gstreamer-1.0"])
        expectClean(try GstTool.run(program, [try GstTool.plugin, "again"]))
    }

    /// Prints how many milliseconds `gst_plugin_load_file` takes for the plugin: dlopen and plugin_init.
    static let loader = #"""
        #include <gst/gst.h>
        #include <stdio.h>

        int main(int argc, char **argv) {
            gst_init(NULL, NULL);
            GError *error = NULL;
            gint64 start = g_get_monotonic_time();
            GstPlugin *plugin = gst_plugin_load_file(argv[1], &error);
            gint64 end = g_get_monotonic_time();
            if (!plugin) {
                fprintf(stderr, "%s\n", error->message);
                return 1;
            }
            printf("%f\n", (double)(end - start) / 1000.0);
            if (argc > 2) {
                GstPlugin *again = gst_plugin_load_by_name("hdr");
                GstElement *element = gst_element_factory_make("hdrconvert", NULL);
                if (!again || !element) return 2;
                gst_object_unref(element);
                gst_object_unref(again);
            }
            gst_object_unref(plugin);
            return 0;
        }
        """#
}
