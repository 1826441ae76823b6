import Foundation
import Testing

@testable import HDRExport

/// The target files in pipelines/targets are those that ``EncodingTarget`` yields.
@Suite struct TargetFilesTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("pipelines/targets")

    @Test(arguments: EncodingTarget.all) func isUpToDate(_ target: EncodingTarget) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(target.path), encoding: .utf8)
        #expect(text == target.text)
    }

    @Test func thereAreNoOthers() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appendingPathComponent("hdr").path)
        #expect(Set(names) == Set(EncodingTarget.all.map { String($0.path.dropFirst("hdr/".count)) }))
    }
}
