import Foundation
import PluginSupport
import TestSupport
import Testing

/// The Debian packages: what is in them, what they need, and that nothing tells when they were made.
@Suite(.enabled(if: Command.exists("dh") && Command.exists("meson"), "apt-get install debhelper meson"))
struct DebianPackagesTests {
    @Test func whatIsInThem() throws {
        let scratch = try TemporaryFolder()
        let made = try GstTool.run(
            Repository.path("packaging/debian-packages"), [scratch.url.path],
            environment: ["HOME": "/nonexistent", "GST_HDR_BUILD_JOBS": ""], timeout: 300)
        try #require(made.status == 0, "\(made)")
        let files = Set(scratch.names.filter { $0.hasSuffix(".deb") })
        func field(_ package: String, _ name: String) throws -> String {
            let file = try #require(files.first { $0.hasPrefix(package + "_") }, "\(files)")
            return try GstTool.build("dpkg-deb", ["-f", scratch.path(file), name]).output
        }
        func contents(_ package: String) throws -> String {
            let file = try #require(files.first { $0.hasPrefix(package + "_") }, "\(files)")
            return try GstTool.build("dpkg-deb", ["-c", scratch.path(file)]).output
        }
        #expect(files.count == 6, "\(files)")
        for (package, file) in [
            ("gstreamer1.0-hdr", "/gstreamer-1.0/libgsthdr.so"), ("gstreamer1.0-hdr-x265", "/libgsthdrx265.so"),
            ("libgsthdr-1.0-0", "/libgsthdr-1.0.so.0 -> "), ("libgsthdr-dev", "/gst/hdr/hdr.h"),
            ("gir1.2-gsthdr-1.0", "/GstHdr-1.0.typelib"), ("hdr-tools", "/usr/bin/hdr"),
        ] {
            #expect(try contents(package).contains(file), "\(package)")
        }
        // Installers of missing plugins find packages by these fields.
        #expect(try field("gstreamer1.0-hdr", "Gstreamer-Elements").contains("hdrconvert"))
        #expect(try field("gstreamer1.0-hdr", "Gstreamer-Decoders") == "\n")
        #expect(try field("gstreamer1.0-hdr-x265", "Depends").contains("libx265"))
        #expect(try !field("gstreamer1.0-hdr", "Depends").contains("libx265"))
        for package in ["libgsthdr-dev", "gir1.2-gsthdr-1.0"] {
            #expect(try field(package, "Depends").contains("libgsthdr-1.0-0 (="), "\(package)")
        }
        // The times of files are those of the newest entry of CHANGELOG.md.
        let days = try contents("hdr-tools").matches(of: /\d{4}-\d\d-\d\d/).map { String($0.0) }
        #expect(Set(days).count == 1, "\(Set(days))")
    }
}
