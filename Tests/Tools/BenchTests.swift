import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdr bench`, on frames too small to say anything of speed.
@Suite struct BenchTests {
    private func bench(_ arguments: [String]) throws -> Command.Result {
        try HDRCommand.run(["bench"] + arguments, timeout: 120)
    }

    private func rows(_ outcome: Command.Result) throws -> [[String: Any]] {
        expectClean(outcome)
        return try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]], "\(outcome.output)")
    }

    private func text(_ row: [String: Any], _ names: String...) -> String {
        names.map { row[$0] as? String ?? "-" }.joined(separator: " ")
    }

    @Test func theListForMachines() throws {
        let rows = try rows(bench(["convert", "--list", "--json"]))
        let row = try #require(rows.first { $0["conversion"] as? String == "pq-sdr" })
        #expect(row["measured-by-default"] as? Bool == true && (row["tones"] as? [String])?.first == "auto", "\(row)")
        #expect(rows.allSatisfy { $0["from"] is String && ($0["cpus"] as? [String])?.isEmpty == false })
    }

    /// Frames of conversions with Dolby Vision have its metadata, which say that the scene reaches 1000 cd/m², as the
    /// measured light does not.
    @Test(arguments: ["dv81-sdr", "dv84-sdr", "dv5-sdr"]) func framesHaveTheirMetadata(_ conversion: String) throws {
        let outcome = try HDRCommand.run(
            ["bench", "convert", conversion, "--tone", "auto", "--size", "320x180", "--frames", "2", "--starts", "1"],
            environment: ["GST_DEBUG": "hdrconvert:5", "GST_DEBUG_NO_COLOR": "1"], timeout: 120)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("scene: peak 1001."), "\(outcome)")
    }

    @Test func rowsForMachines() throws {
        let rows = try rows(
            bench(["convert", "pq-sdr", "depth", "--size", "320x180", "--frames", "2", "--starts", "1", "--json"]))
        #expect(
            rows.map { text($0, "conversion", "element", "tone", "quality") } == [
                "pq-sdr hdrconvert auto balanced", "pq-sdr hdrconvert bt2390 balanced",
                "pq-sdr hdrconvert bt2446a balanced", "pq-sdr videoconvert - -", "pq-sdr memcpy - -",
                "depth hdrconvert - balanced", "depth videoconvert - -", "depth memcpy - -",
            ])
        for row in rows {
            for name in [
                "fps", "fps-min", "fps-max", "ns-per-pixel", "cpu-ms-per-frame", "gb-per-s", "times-videoconvert",
                "times-videoconvert-cpu",
            ] {
                #expect(row[name] as? Double ?? 0 > 0, "\(name) of \(row)")
            }
            #expect(row["threads"] as? Int == 1 && row["starts"] as? Int == 1)
            #expect(row["width"] as? Int == 320 && row["height"] as? Int == 180)
            let measures = row["element"] as? String == "hdrconvert"
            #expect((row["cpu"] as? String != nil) == measures, "\(row)")
        }
    }

    @Test func canvasesForMachines() throws {
        let rows = try rows(
            bench(["compose", "--size", "320x180", "--frames", "2", "--starts", "1", "--threads", "1", "--json"]))
        let others = [
            "compositor, I420_10LE", "hdrcompositor, P010_10LE", "compositor, P010_10LE", "compositor, I420",
        ]
        let mixers = ["hdrcompositor, I420_10LE"] + others
        let dissolving = ["hdrcompositor, I420_10LE", "hdrcompositor, I420_10LE signals"] + others
        let names =
            mixers.map { "\($0), a quarter over it" } + dissolving.map { "\($0), dissolve" }
            + mixers.map { "\($0), a quarter scaled to it" }
        #expect(rows.compactMap { $0["name"] as? String } == names)
        for row in rows {
            for name in ["ms-per-frame", "cpu-ms-per-frame", "frames-per-second"] {
                #expect(row[name] as? Double ?? 0 > 0, "\(name) of \(row)")
            }
        }
    }

    /// Each instruction set has rows of its own, and what does not follow it has one for all.
    @Test func rowsForEachInstructionSet() throws {
        let rows = try rows(
            bench([
                "convert", "matrix", "--size", "320x180", "--frames", "1", "--starts", "2", "--threads", "1,2",
                "--cpu", "all", "--json",
            ]))
        let sets = rows.compactMap { $0["cpu"] as? String }
        #expect(sets.first == "baseline")
        #expect(Set(sets).count * 2 == sets.count && rows.count == sets.count + 3)
        for row in rows {
            let isOwn = row["element"] as? String == "hdrconvert"
            #expect(row["starts"] as? Int == (isOwn ? 2 : sets.count), "\(row)")
        }
    }

    /// A conversion in formats of the user's own, with properties of their own.
    @Test func rowsOfVariations() throws {
        let set = "tone-mapping-domain=ictcp gamut-mapping=\"softclip\""
        let small = ["--size", "64x48", "--frames", "1", "--starts", "1"]
        let varied = ["--from", "GBR_10LE", "--to", "Y444_12LE", "--set", set]
        let rows = try rows(bench(["convert", "pq-rgb"] + small + varied + ["--json"]))
        #expect(rows.map { text($0, "element") } == ["hdrconvert", "videoconvert", "memcpy"])
        for row in rows {
            // R'G'B' has no matrix and is of full range; Y'CbCr is not.
            #expect(text(row, "from", "to") == "GBR_10LE 1:1:14:7 Y444_12LE 2:3:7:1", "\(row)")
            #expect(row["set"] as? String == (text(row, "element") == "hdrconvert" ? set : nil), "\(row)")
        }
        let table = try bench(["convert", "pq-rgb"] + small + varied)
        expectClean(table)
        #expect(table.output.hasPrefix("64x48, content natural, from GBR_10LE, to Y444_12LE, hdrconvert with \(set), "))
        // The user's own setting takes effect.
        let refused = try bench(["convert", "pq-sdr"] + small + ["--set", "tone-mapping-domain=ictpc"])
        #expect(refused.status == 1 && refused.errors.contains("ictpc"), "\(refused)")
    }

    /// Every conversion that is listed can be measured.
    @Test(arguments: ["natural", "random", "flat"]) func everyConversionRuns(content: String) throws {
        let list = try bench(["convert", "--list"])
        expectClean(list)
        // Below the titles, up to the remarks; a star marks the usual ones.
        let table = list.output.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("* measured") }
        let names = table.compactMap { line in line.split(separator: " ").first { $0 != "*" } }
        #expect(names.contains("pq-sdr") && names.contains("shuffle"))
        let outcome = try bench([
            "convert", "all", "--size", "64x48", "--frames", "1", "--starts", "1", "--content", content,
        ])
        expectClean(outcome)
        for name in names { #expect(outcome.output.contains("\n\(name) "), "\(name)") }
    }

    @Test(
        arguments: [
            (["convert", "pq-srd"], "no conversion is called pq-srd (did you mean pq-sdr?): there are pq-sdr,"),
            (["convert", "--cpu", "v9"], "no instruction set is called v9 (did you mean v3?): there are baseline"),
            (["convert", "--threads", "0"], "--threads wants numbers from 1 to 256, not '0'"),
            (["convert", "--quality", "best"], "no quality is called best: there are fast, balanced, reference"),
            (["convert", "--tone", "habel"], "no tone curve is called habel (did you mean hable?): there are auto"),
            (["convert", "--size", "1920"], "--size wants WIDTHxHEIGHT"),
            (["convert", "--content", "noise"], "no content is called noise: there are natural, random, flat"),
            (["convert", "--frames"], "--frames wants a value: --frames N"),
            (["convert", "--from", "P010"], "--from: GStreamer has no pixel format P010: see"),
            (["convert", "--to", "ENCODED"], "--to: GStreamer has no pixel format ENCODED: see"),
            (["convert", "--sizes", "1"], "no option is called --sizes (did you mean --size?): there are --list"),
            (["tape"], "no subject is called tape (did you mean tap?): there are convert, tap"),
        ])
    func typosAreNamed(_ words: [String], says: String) throws {
        let outcome = try bench(words)
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains(says), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }
}
