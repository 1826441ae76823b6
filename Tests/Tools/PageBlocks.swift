import Foundation
import TestSupport

/// A block of code on a page of the catalogue, or in README.md.
struct PageBlock: CustomStringConvertible, Sendable {
    /// The page's name without its ending, such as `hdr-play`.
    let page: String
    /// Counted from 1.
    let line: Int
    let language: String
    let text: String

    var description: String { "\(page), line \(line)" }

    private static let folder = "Sources/GstHDR/GstHDR.docc"

    /// Those of README.md and of every page, in the order of the pages' names.
    static let all: [PageBlock] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))) ?? []
        let pages = names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        return (["README.md"] + pages).flatMap { file in
            blocks(of: (try? String(contentsOfFile: Repository.path(file), encoding: .utf8)) ?? "", in: file)
        }
    }()

    private static func blocks(of text: String, in file: String) -> [PageBlock] {
        let page = String(file.split(separator: "/").last?.dropLast(".md".count) ?? "")
        var blocks: [PageBlock] = []
        var begin: (line: Int, language: String)?
        var lines: [Substring] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("```") else {
                lines.append(line)
                continue
            }
            if let open = begin {
                let text = lines.map { $0 + "\n" }.joined()
                blocks.append(PageBlock(page: page, line: open.line, language: open.language, text: text))
                begin = nil
            } else {
                begin = (index + 1, String(line.dropFirst(3)))
            }
            lines = []
        }
        return blocks
    }

    static func of(_ language: String) -> [PageBlock] { all.filter { $0.language == language } }

    /// Blocks of commands; those of other texts, such as formulas and what a command prints, are marked as `text`.
    var isOfCommands: Bool { ["", "sh"].contains(language) }

    /// The commands of a block, without their comments.
    var commands: [String] {
        text.split(separator: "\n").map { String($0.replacing(#/(^|\s+)#\s.*$/#, with: "")) }.filter { !$0.isEmpty }
    }
}
