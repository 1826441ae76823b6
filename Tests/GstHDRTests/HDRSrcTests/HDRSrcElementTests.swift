import CGstHDR
import CGStreamer
import Foundation
import GstBridge
import TestSupport
import Testing

@testable import GstHDR

/// `hdrsrc` without the elements of GStreamer: its properties, and the files that it refuses before it reads them.
@Suite(.quiet) struct HDRSrcElementTests {
    private let folder: TemporaryFolder

    init() throws {
        GStreamer.started
        folder = try TemporaryFolder()
    }

    /// The error with which a file is refused, and its code, for a name of any bytes.
    private func refusal(_ path: [UInt8]) throws -> (text: String, domain: GQuark, code: Int32) {
        let element = try #require(gst_element_factory_make("hdrsrc", nil))
        gst_object_ref_sink(element)
        let bus = try #require(gst_bus_new())
        defer {
            gst_element_set_state(element, GST_STATE_NULL)
            gst_element_set_bus(element, nil)
            gst_object_unref(bus)
            gst_object_unref(element)
        }
        gst_element_set_bus(element, bus)
        var value = GValue()
        g_value_init(&value, GTypes.string)
        g_value_set_string(&value, path.map { CChar(bitPattern: $0) } + [0])
        g_object_set_property(element.asGObject, "location", &value)
        var back = GValue()
        g_value_init(&back, GTypes.string)
        g_object_get_property(element.asGObject, "location", &back)
        let given = g_value_get_string(&back).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
        #expect(given == path)
        g_value_unset(&value)
        g_value_unset(&back)
        #expect(gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
        let message = try #require(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR))
        defer { gst_message_unref(message) }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        let found = try #require(error)
        return (String(cString: found.pointee.message), found.pointee.domain, found.pointee.code)
    }

    private func refusal(_ path: String) throws -> String { try refusal(Array(path.utf8)).text }

    @Test func propertiesAndDefaults() throws {
        let element = try #require(gst_element_factory_make("hdrsrc", nil))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        let impl = try #require(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstHdrSrc.self).pointee.impl)
        let source = Unmanaged<HDRSrc>.fromOpaque(impl).takeUnretainedValue()
        #expect(source.settings.current.decodes && source.settings.current.assumed == nil)
        gst_util_set_object_arg(element.asGObject, "assume", "hlg")
        gst_util_set_object_arg(element.asGObject, "decode", "false")
        #expect(source.settings.current.assumed == .hlg && !source.settings.current.decodes)
        #expect(source.sourceInfo() == nil)
    }

    @Test func refusals() throws {
        let absent = try refusal(Array(folder.path("absent.mov").utf8))
        #expect(absent.text == "there is no file \(folder.path("absent.mov")): check the spelling and the folder")
        #expect(absent.domain == gst_resource_error_quark())
        #expect(absent.code == Int32(GST_RESOURCE_ERROR_NOT_FOUND.rawValue))
        #expect(try refusal("").hasPrefix("no file is named: set location"))
        #expect(try refusal(folder.path("")).contains("is a folder"))
        #expect(try refusal("/dev/null").contains("is not a regular file"))
        try Data("ftyp".utf8).write(to: folder.url.appendingPathComponent("a"))
        chmod(folder.path("a"), 0)
        if getuid() != 0 { #expect(try refusal(folder.path("a")).contains("may not be read by you")) }
        let headless: [UInt8] = [0, 0, 0, 8] + Array("wide".utf8) + [0, 0, 0, 8] + Array("mdat".utf8)
        try Data(headless).write(to: folder.url.appendingPathComponent("b"))
        #expect(try refusal(folder.path("b")).contains("has no index (moov)"))
        try Data(headless.dropLast(8) + [0, 0, 1, 0] + Array("mdat".utf8))
            .write(to: folder.url.appendingPathComponent("c"))
        #expect(try refusal(folder.path("c")).contains("is truncated"))
    }

    /// File names are bytes: one that is not UTF-8 is found, and shown.
    @Test func namesThatAreNotUTF8() throws {
        let path = Array(folder.path("").utf8) + [0x61, 0xff, 0x1b]
        #expect(try refusal(path).text.hasSuffix("a\\xff\\x1b: check the spelling and the folder"))
        let file = open(path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        #expect(try refusal(path).text.hasSuffix("a\\xff\\x1b is empty: copy it again from its origin"))
        unlink(path.map { CChar(bitPattern: $0) } + [0])
    }
}
