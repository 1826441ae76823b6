/// The output of `hdr doctor`: a line for each check, and what to install.
struct CheckupTable {
    let text: String

    init(_ checks: [Check], _ style: Style) {
        let widths = [checks.map(\.area.count).max() ?? 0, checks.map(\.name.count).max() ?? 0, 7]
        var lines = checks.map { check in
            let state = Table.padded(check.state.rawValue, widths[2])
            let colored =
                switch check.state {
                case .good: style.good(state)
                case .missing: style.bad(state)
                case .absent: style.dim(state)
                }
            return [
                Table.padded(check.area, widths[0]), Table.padded(check.name, widths[1]), colored,
                Output.printable(check.detail),
            ].joined(separator: "  ")
        }
        let missing = checks.filter { $0.state == .missing }
        lines.append("")
        if missing.isEmpty {
            lines.append("All is there.")
        } else {
            lines.append("\(missing.count) missing:")
            var told: Set<String> = []
            for check in missing {
                guard let install = check.install else {
                    lines.append("  \(check.name): \(check.detail)")
                    continue
                }
                if told.insert(install).inserted { lines.append("  \(install)") }
            }
        }
        text = lines.map { $0 + "\n" }.joined()
    }
}
