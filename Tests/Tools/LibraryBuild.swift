import Foundation
import PluginSupport
import TestSupport
import Testing

/// The library and its typelib alone, as Meson builds them; the plugin takes no part.
final class LibraryBuild: Sendable {
    static let shared = Result { try LibraryBuild() }
    let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
        _ = try GstTool.build("meson", ["setup", scratch.path("build"), Repository.root.path])
        _ = try GstTool.build(
            "ninja", ["-C", scratch.path("build"), "Sources/CHDRLibrary/GstHdr-1.0.typelib"])
    }

    var folder: String { scratch.path("build/Sources/CHDRLibrary") }
    var library: String { folder + "/libgsthdr-1.0.so.0" }

    var environment: [String: String] {
        [
            "GI_TYPELIB_PATH": folder, "LD_LIBRARY_PATH": folder,
            "PKG_CONFIG_PATH": scratch.path("build/meson-uninstalled"),
        ]
    }

    /// Compiles and runs a program by the flags of pkg-config alone; what it prints.
    func run(
        _ source: String, with compiler: String, packages: String = "gstreamer-hdr-1.0", _ arguments: [String] = [],
        environment extra: [String: String] = [:]
    ) throws -> String {
        let folder = try TemporaryFolder()
        let isC = !compiler.contains("++")
        let file = try folder.write(source, to: isC ? "main.c" : "main.cpp")
        let line = """
            \(compiler) -Wall -Wextra -Werror '\(file)' -o '\(folder.path("program"))' \
            $(pkg-config --cflags --libs \(packages))
            """
        let compiled = try GstTool.run("/bin/sh", ["-c", line], environment: environment, timeout: 60)
        #expect(compiled.status == 0, "\(compiled)")
        let outcome = try GstTool.run(
            folder.path("program"), arguments, environment: environment.merging(extra) { $1 })
        expectClean(outcome)
        return outcome.output
    }
}
