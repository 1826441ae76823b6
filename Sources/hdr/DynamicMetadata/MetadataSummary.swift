/// What a verb of metadata says of what it wrote.
struct MetadataSummary: FileSummary {
    let line: String
    var notes: [String] = []
    var details = ""
    var json: [(String, JSON)] = []
}
