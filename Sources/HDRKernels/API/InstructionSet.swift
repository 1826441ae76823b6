import CKernels

/// Instruction sets that the kernels are built for.
package enum InstructionSet: Int, CaseIterable, Comparable, Sendable {
    /// The instructions that every processor of the architecture has: SSE2 on x86-64, NEON on arm64.
    case baseline = 1
    /// x86-64-v3: AVX2 and FMA.
    case v3 = 3
    /// x86-64-v4: AVX-512 F, BW, CD, DQ and VL.
    case v4 = 4

    /// The newest set whose kernels this build contains.
    private static var newest: InstructionSet {
        #if HDR_V4_KERNELS
            .v4
        #elseif HDR_V3_KERNELS
            .v3
        #else
            .baseline
        #endif
    }

    /// The sets that this machine supports, slowest first.
    package static let supported = {
        let level = min(Int(cv_cpu_level()), newest.rawValue)
        return allCases.filter { $0.rawValue <= level }
    }()

    /// The fastest set that this machine can run.
    package static var best: InstructionSet { supported.last ?? .baseline }

    /// The names that `GST_HDR_CPU` takes, the first of each being the one that is printed.
    package var names: [String] {
        switch self {
        case .baseline: ["baseline", "x86-64", "sse2", "neon"]
        case .v3: ["v3", "x86-64-v3", "avx2"]
        case .v4: ["v4", "x86-64-v4", "avx512"]
        }
    }

    /// The instruction set with this name, in upper or lower case; `nil` where none has it.
    package init?(name: String) {
        let lowered = name.lowercased()
        guard let found = Self.allCases.first(where: { $0.names.contains(lowered) }) else { return nil }
        self = found
    }

    package static func < (a: InstructionSet, b: InstructionSet) -> Bool { a.rawValue < b.rawValue }
}
