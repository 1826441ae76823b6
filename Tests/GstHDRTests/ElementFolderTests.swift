import Foundation
import Testing

/// The elements' source folders: the same files in each, and no element uses another's types.
@Suite struct ElementFolderTests {
    static let elements = [
        "HDRConvert", "HDRTap", "EDRSink", "HDRMuxSettings", "HDRSrc", "HDRCompositor", "HDRVideoSink",
    ]
    /// With `hdrmetaparse`, which has no properties and so none of these files.
    static let folders = elements + ["HDRMetaParse"]
    static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/GstHDR")

    /// The text of a folder's Swift files, without comments and strings.
    static func code(_ folder: String) throws -> String {
        let root = sources.appendingPathComponent(folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return try files.map { try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8) }.joined()
            .replacing(/\/\/[^\n]*/, with: "").replacing(/"(\\.|[^"\\\n])*"/, with: "\"\"")
    }

    /// The types that a folder declares for the whole module.
    static func types(_ code: String) -> Set<String> {
        let declarations = code.matches(
            of: /(?m)^(?:final )?(?:class|struct|enum|protocol|typealias) (\w+)/)
        return Set(declarations.map { String($0.1) })
    }

    static func words(_ code: String) -> Set<String> { Set(code.matches(of: /\w+/).map { String($0.0) }) }

    @Test(arguments: elements) func theSameFilesInEach(_ element: String) {
        for suffix in ["", "+Settings", "+Plan", "+Process"] {
            let file = Self.sources.appendingPathComponent("\(element)/\(element)\(suffix).swift").path
            #expect(FileManager.default.fileExists(atPath: file), "\(file)")
        }
    }

    @Test(arguments: folders) func noElementUsesAnothersTypes(_ element: String) throws {
        let own = try Self.types(Self.code(element))
        for other in Self.folders + ["Shared"] where other != element {
            let used = try Self.words(Self.code(other)).intersection(own)
            #expect(used.isEmpty, "\(other) uses \(used.sorted()) of \(element)")
        }
    }
}
