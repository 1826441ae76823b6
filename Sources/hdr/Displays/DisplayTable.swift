/// The output of `hdr displays`: a line for each display system, the reasons below, and the verdict.
struct DisplayTable {
    let text: String

    init(_ found: [DisplayReport]) {
        var table = Table(
            ["display", "HDR", "shown as", "headroom", "at most", "white", "peak", "Hz"], leftColumns: 3)
        for one in found {
            guard let offer = one.offer else {
                table.add([one.system.rawValue, "-", "not available", "-", "-", "-", "-", "-"])
                continue
            }
            let seen = one.system == .offscreen ? "unseen" : offer.isEligible ? "yes" : "no"
            table.add([
                one.system.rawValue, seen, "\(offer.pixelFormat) \(offer.colorSpace)", offer.headroom.fixed(2),
                offer.potentialHeadroom.fixed(2), offer.referenceWhite.fixed(0), offer.peak.fixed(0),
                offer.refreshRate > 0 ? offer.refreshRate.fixed(2) : "?",
            ])
        }
        let parts = found.map { one in
            let output = one.offer?.output ?? ""
            var lines = [one.system.rawValue + (["", one.system.rawValue].contains(output) ? "" : ", \(output)")]
            if let offer = one.offer {
                lines.append("  pixels    " + Self.list(offer.pixelFormats, otherwise: "as the X screen has them"))
                lines.append("  features  " + Self.list(offer.features, otherwise: "none"))
            }
            for (index, reason) in Self.together(one.reasons).enumerated() {
                lines.append((index == 0 ? "  why not   " : "            ") + reason)
            }
            return lines.map { Output.printable($0) + "\n" }.joined()
        }
        text = ([table.text] + parts + [Self.verdict(found) + "\n"]).joined(separator: "\n")
    }

    private static func list(_ names: [String], otherwise: String) -> String {
        names.isEmpty ? otherwise : names.joined(separator: ", ")
    }

    /// Sentences on ways of showing HDR, with those put together that were not taken for the same reason.
    private static func together(_ reasons: [String]) -> [String] {
        let separator = " was not taken: "
        var causes: [(cause: String, subjects: [String])] = []
        for reason in reasons {
            let split = reason.firstRange(of: separator)
            let cause = split.map { String(reason[$0.upperBound...]) } ?? reason
            let subject = split.map { [String(reason[..<$0.lowerBound])] } ?? []
            if let index = causes.firstIndex(where: { $0.cause == cause }) {
                causes[index].subjects += subject
            } else {
                causes.append((cause, subject))
            }
        }
        return causes.map { $0.subjects.isEmpty ? $0.cause : "\($0.subjects.joined(separator: ", ")): \($0.cause)" }
    }

    private static func verdict(_ found: [DisplayReport]) -> String {
        let fit = found.filter(\.isEligible).map(\.system.rawValue)
        if !fit.isEmpty { return "HDR can be shown on \(fit.joined(separator: " and "))." }
        if !found.contains(where: { $0.system != .offscreen && $0.offer != nil }) {
            return "There is no display here; with presenter=offscreen edrsink needs none."
        }
        return "No display here can show HDR as such; edrsink shows it tone-mapped to SDR."
    }
}
