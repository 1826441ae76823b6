import Foundation
import PluginSupport
import Testing
import TestSupport

/// Real HDR files of several makers become SDR. The files are not part of the repository.
@Suite(Samples.areThere)
struct SampleTests {
    /// The caps of a pad in the player's report, as field names and values.
    static func caps(of pad: String, in report: String) -> [String: String]? {
        guard let line = report.components(separatedBy: "\n").last(where: { $0.hasPrefix("\(pad) video/x-raw") })
        else { return nil }
        var fields: [String: String] = [:]
        for match in line.matches(of: /, ([a-z-]+)=\([A-Za-z]+\)([^,]+)/) {
            fields[String(match.1)] = String(match.2)
        }
        return fields
    }

    /// Decodes a file, sends the pictures through `elements`, and keeps small ones in `layout`.
    private func luma(
        of name: String, through elements: String, as layout: String
    ) throws -> (codes: [Int], report: String) {
        let scratch = try TemporaryFolder()
        let small = RawPicture(layout, width: 32, height: 18)
        let outcome = try Player.play(
            """
            filesrc location=\(Samples.path(name)) ! decodebin ! \(elements) !
            videoscale ! video/x-raw,format=\(layout),width=32,height=18 ! filesink location=\(scratch.path("small"))
            """)
        expectClean(outcome)
        return (try luma(of: try scratch.data("small"), in: small), outcome.output)
    }

    @Test(arguments: Samples.files)
    func aFileBecomesSDR(name: String) throws {
        let before = try luma(of: name, through: "identity", as: "I420_10LE").codes
        let conversion = "hdrconvert name=convert ! video/x-raw,format=I420,colorimetry=bt709"
        let (after, report) = try luma(of: name, through: conversion, as: "I420")

        let source = try #require(Self.caps(of: "sink", in: report))
        let target = try #require(Self.caps(of: "src", in: report))
        #expect(["bt2100-pq", "bt2100-hlg"].contains(source["colorimetry"]), "\(source)")
        #expect(target["colorimetry"] == "bt709")
        for field in ["mastering-display-info", "content-light-level", "hdr-format"] {
            #expect(target[field] == nil, "\(field) is about the HDR picture")
        }
        for field in ["width", "height", "framerate", "pixel-aspect-ratio", "interlace-mode"] {
            #expect(target[field] == source[field])
        }

        // There are as many pictures as without the element.
        try #require(after.count == before.count && !after.isEmpty)
        if before.allSatisfy({ $0 < 68 }) {
            #expect(after.allSatisfy { $0 == 16 }, "black is black")
            return
        }
        // Neither black nor the grey haze of HDR that was not converted, and with contrast.
        let mean = after.reduce(0, +) / after.count
        #expect(mean > 30 && mean < 180, "\(mean)")
        let low = after.min() ?? 0
        let high = after.max() ?? 0
        #expect(low >= 16 && low < 60 && high > 150 && high <= 240, "\(low)...\(high)")
    }

    /// The luma codes of pictures that follow each other in a file.
    private func luma(of data: Data, in picture: RawPicture) throws -> [Int] {
        let bytes = [UInt8](data)
        let width = picture.layout.bytes
        try #require(bytes.count % picture.size == 0)
        return stride(from: 0, to: bytes.count, by: picture.size).flatMap { start in
            (0..<picture.width * picture.height).map { sample in
                let at = start + sample * width
                return width == 2 ? Int(bytes[at]) | Int(bytes[at + 1]) << 8 : Int(bytes[at])
            }
        }
    }

    @Test func someFileHasMetadataToDrop() throws {
        let found = try Samples.files.contains { name in
            let outcome = try Player.play(
                """
                filesrc location=\(Samples.path(name)) ! decodebin !
                identity eos-after=2 ! hdrconvert name=convert ! video/x-raw,colorimetry=bt709 ! fakesink
                """)
            let source = Self.caps(of: "sink", in: outcome.output)
            return source?["mastering-display-info"] != nil
        }
        #expect(found)
    }
}
