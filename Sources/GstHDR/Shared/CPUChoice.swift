import CGStreamer
import GstBridge
import HDRKernels

/// The instruction set that kernels use: the best one of the machine, or the one that the environment variable
/// `GST_HDR_CPU` names.
struct CPUChoice {
    let instructionSet: InstructionSet
    /// Why the variable is ignored; `nil` where it is used or not set.
    let complaint: String?

    static let current = CPUChoice(g_getenv("GST_HDR_CPU").map { String(cString: $0) })

    /// - Parameter name: the variable's value; `nil` and "" select the best set.
    init(_ name: String?) {
        guard let name, !name.isEmpty else {
            instructionSet = .best
            complaint = nil
            return
        }
        if let named = InstructionSet(name: name), InstructionSet.supported.contains(named) {
            instructionSet = named
            complaint = nil
            return
        }
        instructionSet = .best
        let possible = InstructionSet.supported.map { $0.names[0] }.joined(separator: ", ")
        let reason = InstructionSet(name: name) == nil ? "is unknown" : "is more than this processor has"
        complaint =
            "GST_HDR_CPU=\(name) \(reason): using \(InstructionSet.best.names[0]); possible here are \(possible)"
    }
}

extension ElementObject {
    /// Posts a warning where the environment variable `GST_HDR_CPU` is ignored.
    func warnOfCPU() {
        if let complaint = CPUChoice.current.complaint { warning(complaint, .library()) }
    }
}
