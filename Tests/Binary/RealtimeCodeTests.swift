import Foundation
import PluginSupport
import Testing
import TestSupport

/// The machine code of the real-time sections: what they call, and what those functions call in turn.
@Suite struct RealtimeCodeTests {
    /// Names of functions, and those that each calls.
    private static func calls(in object: String) throws -> [String: Set<String>] {
        let text = try GstTool.build("objdump", ["-dr", "--no-show-raw-insn", object]).output
        var result: [String: Set<String>] = [:]
        var function = ""
        for line in text.split(separator: "\n") {
            if line.hasSuffix(">:"), let open = line.firstIndex(of: "<") {
                function = String(line[line.index(after: open)...].dropLast(2))
                result[function] = []
            } else if line.contains("R_X86_64_PLT32") || line.contains("R_X86_64_GOTPCREL") {
                // "…: R_X86_64_PLT32	swift_retain-0x4"
                guard let name = line.split(separator: "\t").last?.split(separator: "-").first else { continue }
                result[function]?.insert(name.trimmingCharacters(in: .whitespaces))
            }
        }
        return result
    }

    /// The release plugin's objects, as they were before the linker stripped them.
    private static let objects: [String] = {
        let folder = Repository.root.appendingPathComponent(".build/product/release")
        return ["GstBridge", "GstHDR", "HDRAudio", "HDRConcurrency"].flatMap { module -> [String] in
            let build = folder.appendingPathComponent("\(module).build")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: build.path)) ?? []
            return names.filter { $0.hasSuffix(".o") }.map { build.appendingPathComponent($0).path }
        }
    }()

    /// All functions that these functions reach.
    private static func reach(_ roots: [String], _ calls: [String: Set<String>]) -> Set<String> {
        var seen = Set<String>()
        var left = roots
        while let next = left.popLast() {
            guard seen.insert(next).inserted else { continue }
            left += calls[next] ?? []
        }
        return seen
    }

    private static func isForbidden(_ name: String) -> Bool {
        [
            "swift_retain", "swift_release", "swift_alloc", "swift_dealloc", "swift_once", "swift_slow", "swift_bridge",
            "swift_beginAccess", "swift_getGeneric", "swift_instantiate", "malloc", "calloc", "free", "pthread_", "g_",
            "gst_mini", "gst_buffer", "gst_object", "tan", "sin", "cos", "exp", "pow", "log",
        ].contains { name.hasPrefix($0) }
    }

    #if arch(x86_64)
        @Test func nothingIsAllocatedLockedOrCounted() throws {
            #expect(Self.objects.count >= 2, "no objects under .build/product: run meson-wrap/build-plugin")
            var calls: [String: Set<String>] = [:]
            for object in Self.objects { calls.merge(try Self.calls(in: object)) { $0.union($1) } }
            // The static functions `processInRealTime` of all processors, and get_source_audio.
            let roots = calls.keys.filter {
                $0.contains("17processInRealTime") || $0 == "hdr_tap_get_source_audio"
            }
            let folder = Repository.root.appendingPathComponent("Sources/GstHDR/HDRTap/Effects")
            let effects = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix("Effect.swift") && $0 != "Effect.swift"
            }
            for effect in effects.map({ $0.dropLast("Effect.swift".count) }) + ["AudioCallback"] {
                // Mangled names state the length of each part.
                let processor = "\(effect.count + 9)\(effect)Processor"
                #expect(roots.contains { $0.contains(processor) }, "\(processor) among \(roots)")
            }
            #expect(roots.contains("hdr_tap_get_source_audio"))
            let reached = Self.reach(roots, calls)
            #expect(reached.filter(Self.isForbidden).sorted() == [])
            // The kernels are among the functions that were checked.
            let names = reached.joined(separator: " ")
            #expect(names.contains("8BandPassV") || names.contains("SampleFormat"))
            // The streaming thread outside that section does count references, and the check finds that. A closure is
            // handed on by its address, so that its calls are not those of the function that makes it.
            let all = Self.reach(calls.keys.filter { $0.contains("hdr_tap_chain") }, calls)
            #expect(all.contains { $0.hasPrefix("swift_re") })
        }
    #endif
}
