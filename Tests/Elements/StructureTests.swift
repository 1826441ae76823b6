import Foundation
import PluginSupport
import Testing
import TestSupport

/// The pages' tables of the fields of structures, compared with structures that the elements return.
@Suite struct StructureTests {
    typealias Fields = [String: String]

    /// The types of the fields of each structure that a page describes.
    private func described(_ page: String) throws -> [String: Fields] {
        let path = Repository.path("Sources/GstHDR/GstHDR.docc/\(page).md")
        var result: [String: Fields] = [:]
        var structure: String?
        for line in try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if let match = line.firstMatch(of: /^\| field of (?:a key of )?`([a-z-]+)` \| type \|/) {
                structure = String(match.1)
            } else if let structure, line.hasPrefix("| `") {
                let cells = line.split(separator: "|", maxSplits: 2)
                try #require(cells.count >= 2, "\(line)")
                let type = try #require(cells[1].firstMatch(of: /`(\w+)`/), "\(line)").1
                for field in cells[0].matches(of: /`([^`]+)`/) {
                    result[structure, default: [:]][String(field.1)] = String(type)
                }
            } else if !line.hasPrefix("|---") {
                structure = nil
            }
        }
        return result
    }

    @Test func pagesTellWhatStructuresHave() throws {
        let program = Repository.path("Tests/Elements/Programs/structures.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", program], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        var given: [String: Fields] = [:]
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 3, "\(line)")
            let before = given[words[0], default: [:]].updateValue(words[2], forKey: words[1])
            #expect(before == nil || before == words[2], "\(line)")
        }
        #expect(given["measured-light-levels"] == given["light-levels"])
        given["measured-light-levels"] = nil

        var documented: [String: Fields] = [:]
        for page in ["hdrtap", "edrsink", "hdrmux-settings", "hdrsrc"] { documented.merge(try described(page)) { $1 } }
        // This structure is an input, not an output.
        #expect(documented.removeValue(forKey: "view")?.count == 11)
        #expect(documented.keys.sorted() == given.keys.sorted())
        for (name, fields) in given { #expect(documented[name] == fields, "\(name)") }
    }
}
