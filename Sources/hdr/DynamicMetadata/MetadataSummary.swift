/// The summary that a verb for metadata prints about its output.
struct MetadataSummary: FileSummary {
    let line: String
    var notes: [String] = []
    var details = ""
    var json: [(String, JSON)] = []
}
