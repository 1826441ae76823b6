import HDRPipeline

/// The messages of `hdrmux-settings` and `hdrsrc` during the work.
struct ExportReport: Sendable {
    private(set) var plan: [String] = []
    private(set) var notes: [String] = []
    /// MaxCLL and MaxFALL in cd/m².
    private(set) var levels: (maximum: Int, average: Int)?
    /// Each scene that was tone-mapped, as the element takes it: `start:peak:average`.
    private var scenes: [String] = []

    /// The scenes as the element's property has them; `nil` where nothing was tone-mapped.
    var sceneLight: String? { scenes.isEmpty ? nil : scenes.joined(separator: ",") }

    mutating func hear(_ message: Message) {
        switch message.kind {
        case .element(let structure):
            switch structure.name {
            case "export-plan": read(plan: structure["summary"] ?? "")
            case "light-levels": read(levels: structure)
            case "hdr-scene":
                if let start: UInt64 = structure["start"], let peak: Double = structure["peak"],
                    let average: Double = structure["average"]
                {
                    scenes.append("\(start):\(peak):\(average)")
                }
            default: break
            }
        case .warning(let warning):
            // Warnings of other elements mean nothing to a user. Elements inside hdrmux-settings have no factory.
            if warning.factory.map({ ["hdrmux-settings", "hdrsrc"].contains($0) }) ?? true { note(warning.message) }
        default: break
        }
    }

    private mutating func read(plan text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("note: ") { note(String(line.dropFirst(6))) } else { plan.append(String(line)) }
        }
    }

    mutating func read(levels structure: Structure?) {
        if let maximum: Int = structure?["max-cll"], let average: Int = structure?["max-fall"] {
            levels = (maximum, average)
        }
    }

    /// Removes the exporter's notes about dynamic metadata.
    mutating func forgetLostMetadata() { notes.removeAll { $0.contains("the preset passthrough keeps it") } }

    /// Replaces words in those lines of the plan that begin with others.
    mutating func replace(_ words: String, with others: String, in start: String) {
        plan = plan.map { $0.hasPrefix(start) ? $0.replacing(words, with: others) : $0 }
    }

    mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }
}
