import Foundation
import PluginSupport
import Testing
import TestSupport

/// The content of an object file for x86-64, as the binutils print it.
struct ObjectCode {
    struct Instruction {
        let function: String
        let mnemonic: String
        /// The instruction with its operands.
        let text: String

        /// Encoded with VEX or EVEX, or of x86-64-v2 and later: what a processor of the first generation cannot run.
        var isNewerThanBaseline: Bool {
            if Self.privileged.contains(mnemonic) { return false }
            return mnemonic.hasPrefix("v") || mnemonic.hasPrefix("k") || Self.newer.contains(mnemonic)
                || text.holds("%ymm") || text.holds("%zmm")
        }

        /// Whether the instruction is of AVX-512, whatever the length of its registers.
        var isNewerThanV3: Bool {
            mnemonic.hasPrefix("k") || text.holds("%zmm") || text.holds("{%k") || text.holds("{1to")
                || Self.upperRegisters.contains(where: text.holds)
        }

        var gathers: Bool { mnemonic.hasPrefix("vgather") || mnemonic.hasPrefix("vpgather") }

        private static let upperRegisters = (16..<32).map { "mm\($0)" }
        private static let privileged: Set = ["verr", "verw", "vmcall", "vmread", "vmwrite"]
        private static let newer: Set = [
            "andn", "bextr", "blsi", "blsr", "blsmsk", "bzhi", "mulx", "pdep", "pext", "rorx", "sarx", "shlx", "shrx",
            "lzcnt", "movbe", "popcnt", "pshufb", "pmulld", "roundps", "roundss", "roundpd", "roundsd", "blendvps",
            "pblendw", "pblendvb", "pinsrd", "pinsrq", "pextrd", "pextrq", "insertps", "ptest", "haddps", "packusdw",
            "pmaxsd", "pminsd", "pmaxud", "pminud", "pmovzxbw", "pmovzxbd", "pmovzxwd", "pmovsxwd", "crc32l",
        ]
    }

    private(set) var instructions: [Instruction] = []
    /// The targets of each function's calls and jumps.
    private(set) var calls: [String: Set<String>] = [:]
    /// Functions that the linker may drop in favour of another object's of the same name.
    let mergeable: [String]
    /// Sections of code in groups of which the linker keeps one.
    let mergeableSections: [String]

    private static let buildFolder = Repository.root.appendingPathComponent(".build/product/release")

    /// The modules in Sources, in Swift and C, of which the release build has objects.
    static let modules: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: Repository.path("Sources"))
        return (names ?? []).sorted().filter { (try? objects(of: $0)) != nil }
    }()

    /// The objects of a module of the release plugin, as they were before the linker stripped them.
    static func objects(of module: String) throws -> [String] {
        let folder = buildFolder.appendingPathComponent("\(module).build")
        let names = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let objects = (names ?? []).filter { $0.hasSuffix(".o") }.sorted()
        guard !objects.isEmpty else {
            throw TestFailure("no objects of \(module) under .build/product: run meson-wrap/build-plugin")
        }
        return objects.map { folder.appendingPathComponent($0).path }
    }

    /// The readable form of each name that has one.
    static func demangled(_ names: [String]) throws -> [String: String] {
        let scratch = try TemporaryFolder()
        let file = try scratch.write(names.joined(separator: "\n") + "\n", to: "names")
        let text = try GstTool.build("sh", ["-c", "swift demangle < \(file)"]).output
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Dictionary(zip(names, lines)) { first, _ in first }
    }

    init(_ object: String) throws {
        let symbols = try GstTool.build("readelf", ["-sW", object]).output
        mergeable = symbols.split(separator: "\n").compactMap { line in
            // Num: Value Size Type Bind Vis Ndx Name
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 8, words[3] == "FUNC", words[4] == "WEAK" || words[4] == "UNIQUE", words[6] != "UND"
            else { return nil }
            return String(words[7])
        }
        let sections = try GstTool.build("readelf", ["-SW", object]).output
        mergeableSections = sections.split(separator: "\n").compactMap { line in
            // [Nr] Name Type Address Off Size ES Flg Lk Inf Al
            guard let close = line.firstIndex(of: "]") else { return nil }
            let words = line[line.index(after: close)...].split(whereSeparator: \.isWhitespace)
            guard words.count >= 10, words[1] == "PROGBITS", words[6].contains("X"), words[6].contains("G") else {
                return nil
            }
            return String(words[0])
        }
        read(try GstTool.build("objdump", ["-dr", "--no-show-raw-insn", object]).output)
    }

    private mutating func read(_ listing: String) {
        var function = ""
        var isCall = false
        // Bytes: listings have millions of lines, and characters take ten times as long.
        for line in Array(listing.utf8).split(separator: UInt8(ascii: "\n")) {
            if line.suffix(2).elementsEqual(">:".utf8), let open = line.firstIndex(of: UInt8(ascii: "<")) {
                function = Self.text(line[(open + 1)...].dropLast(2))
                calls[function] = calls[function] ?? []
                continue
            }
            let fields = line.split(separator: UInt8(ascii: "\t"))
            guard fields.count >= 2 else { continue }
            let instruction = Self.text(fields[1]).trimmingPrefix(while: { $0 == " " })
            if Self.text(fields[0]).holds("R_X86_64_") || instruction.holds("R_X86_64_") {
                // "…: R_X86_64_PLT32	swift_retain-0x4", on the line after the instruction's.
                if isCall, let name = fields.last { add(Self.text(name), to: function) }
                continue
            }
            let words = instruction.split(separator: " ")
            guard let mnemonic = words.first(where: { !Self.prefixes.contains($0) }) else { continue }
            instructions.append(
                Instruction(function: function, mnemonic: String(mnemonic), text: String(instruction)))
            isCall = mnemonic.hasPrefix("call") || mnemonic.hasPrefix("j")
            if isCall, let open = instruction.firstIndex(of: "<"), instruction.hasSuffix(">") {
                // Within a section the assembler knows the target's place; a target inside a function is no call.
                let name = instruction[instruction.index(after: open)...].dropLast()
                if !name.contains("+") { add(String(name), to: function) }
            }
        }
    }

    private static let prefixes: Set<Substring> = ["rep", "repz", "repnz", "lock", "data16", "notrack", "bnd"]

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// - Parameter target: a symbol with what is added to it: "name-0x4", "name@GOTPCREL-0x4" or ".text.name-0x4".
    private mutating func add(_ target: String, to function: String) {
        var name = target.trimmingCharacters(in: .whitespaces)
        if let sign = name.lastIndex(where: { $0 == "-" || $0 == "+" }), name[sign...].dropFirst().hasPrefix("0x") {
            name = String(name[..<sign])
        }
        if name.hasPrefix(".text.") { name.removeFirst(6) }
        if name != function && !name.isEmpty { calls[function, default: []].insert(name) }
    }
}

extension StringProtocol {
    /// Whether it has a text of ASCII in it.
    fileprivate func holds(_ part: String) -> Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            var part = part
            return part.withUTF8 { part in
                guard let first = part.first else { return true }
                var place = 0
                while place + part.count <= bytes.count {
                    if bytes[place] == first, bytes[place..<place + part.count].elementsEqual(part) { return true }
                    place += 1
                }
                return false
            }
        }
        return found ?? contains(part)
    }
}
