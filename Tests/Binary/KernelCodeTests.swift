import Foundation
import PluginSupport
import Testing
import TestSupport

/// The machine code of the kernels, in the release plugin's objects: which instructions it has, and what it calls.
@Suite struct KernelCodeTests {
    static let kernelModules = ["HDRVectorKernels", "HDRVectorKernelsAVX2", "HDRVectorKernelsAVX512"]
    /// All other modules that the release build has made.
    static let otherModules = ObjectCode.modules.filter { !kernelModules.contains($0) }

    #if arch(x86_64)
        // MARK: Tests

        @Test(arguments: ["HDRVectorKernelsAVX2", "HDRVectorKernelsAVX512"])
        func nothingCanBeMergedWithCodeForEveryMachine(_ module: String) throws {
            for object in try ObjectCode.objects(of: module) {
                let code = try ObjectCode(object)
                // No other module defines symbols with this module's name, so that the linker cannot merge them.
                let foreign = code.mergeable.filter { !$0.hasPrefix("$s\(module.count)\(module)") }
                #expect(foreign == [], "\(object)")
                #expect(code.mergeableSections == [], "\(object)")
            }
        }

        @Test func allModulesAreLookedAt() {
            #expect(Set(["CGstHDR", "CLateBinding", "CWayland", "CXCB", "GstHDR"]).isSubset(of: Self.otherModules))
        }

        @Test(arguments: otherModules + ["HDRVectorKernels"])
        func codeForEveryMachineHasNoNewerInstruction(_ module: String) throws {
            for object in try ObjectCode.objects(of: module) {
                let newer = try ObjectCode(object).instructions.filter(\.isNewerThanBaseline)
                #expect(newer.isEmpty, "\(object): \(Self.text(newer))")
            }
        }

        @Test func v3HasItsInstructionsAndNoNewerOnes() throws {
            let all = try Self.instructions(of: "HDRVectorKernelsAVX2")
            let newer = all.filter(\.isNewerThanV3)
            #expect(newer.isEmpty, "\(Self.text(newer))")
            #expect(all.filter { $0.text.contains("%ymm") }.count > 100)
            #expect(all.contains { $0.mnemonic.hasPrefix("vfmadd") && $0.text.contains("%ymm") })
        }

        @Test func v4HasItsInstructions() throws {
            let all = try Self.instructions(of: "HDRVectorKernelsAVX512")
            let wide = all.filter { $0.text.contains("%zmm") }
            #expect(wide.count > 100)
            #expect(wide.contains { $0.mnemonic.hasPrefix("vfmadd") || $0.mnemonic.hasPrefix("vfnmadd") })
            // Tables that fit into registers are looked up there.
            let permutes = ["vpermi2", "vpermt2", "vpermps", "vpermd", "vpermw", "vpermb"]
            #expect(wide.contains { i in permutes.contains { i.mnemonic.hasPrefix($0) } })
        }

        @Test func baselineComputesInVectors() throws {
            let packed = try Self.instructions(of: "HDRVectorKernels").filter {
                ["mulps", "addps", "subps", "minps", "maxps"].contains($0.mnemonic)
            }
            #expect(packed.count > 100)
        }

        /// A gather loads its elements one by one; kernels have permutes and plain loads for what tables hold.
        @Test(arguments: kernelModules) func kernelsDoNotGather(_ module: String) throws {
            let gathers = try Self.instructions(of: module).filter(\.gathers)
            #expect(gathers.isEmpty, "\(Self.text(gathers))")
        }

        @Test(arguments: kernelModules) func kernelsCallNothing(_ module: String) throws {
            var calls: [String: Set<String>] = [:]
            for object in try ObjectCode.objects(of: module) {
                calls.merge(try ObjectCode(object).calls) { $0.union($1) }
            }
            let names = try ObjectCode.demangled(Array(calls.keys))
            let kernels = calls.keys.filter { !Self.isSetUp(names[$0] ?? $0) }
            #expect(!kernels.isEmpty)
            for (caller, called) in Self.forbidden(from: kernels, calls) {
                Issue.record("\(names[caller] ?? caller) calls \(called.sorted())")
            }
        }

        /// The checks find the forbidden code where it is planted.
        @Test func theChecksWouldSeeIt() throws {
            let scratch = try TemporaryFolder()
            let file = try scratch.write(Self.offender, to: "offender.c")
            func code(_ options: [String]) throws -> ObjectCode {
                let object = scratch.path("offender\(options.count).o")
                _ = try GstTool.build(
                    "clang",
                    ["-O2", "-fno-math-errno", "-ffunction-sections", "-c", file, "-o", object] + options)
                return try ObjectCode(object)
            }
            let plain = try code(["-msse2"])
            #expect(plain.instructions.allSatisfy { !$0.isNewerThanBaseline && !$0.gathers })
            let v3 = try code(["-mavx2", "-mfma"])
            #expect(v3.instructions.contains { $0.isNewerThanBaseline })
            #expect(v3.instructions.contains { $0.gathers })
            #expect(!v3.instructions.contains { $0.isNewerThanV3 })
            let v4 = try code(["-mavx512f", "-mavx512bw", "-mavx512vl"])
            #expect(v4.instructions.contains { $0.isNewerThanV3 })
            for one in [plain, v3, v4] {
                #expect(one.mergeable == ["shared"])
                // Directly, through another function, and by a jump at the end.
                let found = Self.forbidden(from: ["direct", "outer", "last", "innocent"], one.calls)
                #expect(found["direct"] == ["powf"] && found["inner"] == ["malloc"] && found["last"] == ["memset"])
                #expect(found.count == 3)
            }
        }

        // MARK: Support

        /// The number of instructions that were found, and the first one.
        static func text(_ found: [ObjectCode.Instruction]) -> String {
            "\(found.count)" + (found.first.map { ", the first in \($0.function): \($0.text)" } ?? "")
        }

        static func instructions(of module: String) throws -> [ObjectCode.Instruction] {
            try ObjectCode.objects(of: module).flatMap { try ObjectCode($0).instructions }
        }

        /// Functions that make and free what kernels use, before and after any picture.
        static func isSetUp(_ name: String) -> Bool {
            [
                ".init(", "deinit", "metadata", "witness", "outlined", "ddressor", "one-time initialization", ".make",
            ].contains { name.contains($0) }
        }

        /// The forbidden calls of these functions and of all that they call in turn, by the caller.
        static func forbidden(from roots: [String], _ calls: [String: Set<String>]) -> [String: Set<String>] {
            var result: [String: Set<String>] = [:]
            var seen = Set<String>()
            var left = roots
            while let next = left.popLast() {
                guard seen.insert(next).inserted else { continue }
                let called = calls[next] ?? []
                let bad = called.filter(isForbidden)
                if !bad.isEmpty { result[next] = bad }
                left += called
            }
            return result
        }

        static func isForbidden(_ name: String) -> Bool {
            let maths = [
                "fma", "pow", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "sqrt", "floor",
                "ceil", "trunc", "round", "rint", "nearbyint", "roundeven", "lrint", "lround", "fmin", "fmax", "fmod",
                "ldexp", "frexp", "modf", "sin", "cos", "tan",
            ]
            if maths.contains(where: { name == $0 || name == $0 + "f" }) { return true }
            return [
                "swift_", "malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memcpy", "memmove",
                "memset", "memcmp", "bzero", "pthread_", "__",
            ].contains { name.hasPrefix($0) }
        }

        static let offender = """
            #include <immintrin.h>
            #include <math.h>
            #include <stdlib.h>
            #include <string.h>
            __attribute__((weak)) float shared(float x) { return x * 2; }
            float direct(float x) { return powf(x, 1.3f) * 2; }
            __attribute__((noinline)) static void *inner(size_t n) { return (char *)malloc(n) + 1; }
            void *outer(size_t n) { return (char *)inner(n + 1) + 1; }
            void last(void *p, size_t n) { memset(p, 3, n); }
            void innocent(float *out, const float *table, const int *index) {
            #if defined(__AVX512F__)
                __m512 x = _mm512_loadu_ps(table);
                _mm512_storeu_ps(out, _mm512_permutexvar_ps(_mm512_loadu_si512(index), x));
            #elif defined(__AVX2__)
                _mm256_storeu_ps(out, _mm256_i32gather_ps(table, _mm256_loadu_si256((const __m256i *)index), 4));
            #else
                _mm_storeu_ps(out, _mm_add_ps(_mm_loadu_ps(table), _mm_set1_ps((float)*index)));
            #endif
            }
            """
    #endif
}
