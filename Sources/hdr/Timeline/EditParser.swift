import HDRMetadata
import HDRPipeline

/// Reads the statements of an edit list, on a command line or in a file.
struct EditParser {
    private static let words = ["clip", "gap", "dissolve", "dip-to-black", "dip-to-white", "push", "wipe", "title"]
    private static let options = [
        "from", "to", "for", "at", "softness", "reverse", "map", "size", "position", "fade",
    ]

    private var tokens: ArraySlice<EditToken>
    /// The folder to which file names are relative; `nil` for the current one.
    private let folder: FileName?

    /// - Parameter folder: the folder of the edit list.
    static func statements(_ tokens: [EditToken], in folder: FileName? = nil) throws -> [EditStatement] {
        var parser = EditParser(tokens: tokens[...], folder: folder)
        var statements: [EditStatement] = []
        while let token = parser.tokens.first {
            parser.tokens.removeFirst()
            if token.text == "+", !token.isQuoted { continue }
            statements.append(EditStatement(kind: try parser.statement(token), place: token.place))
        }
        return statements
    }

    private mutating func statement(_ token: EditToken) throws -> EditStatement.Kind {
        guard !token.isQuoted, Self.words.contains(token.text) else { return try fileAlone(token) }
        switch token.text {
        case "clip": return .clip(try clip(try argument(of: token, "a file: clip FILE")))
        case "gap": return .gap(try time(try argument(of: token, "a time: gap 1s")))
        case "title": return .title(try title(try argument(of: token, "a text: title \"Text\"")))
        case "push":
            let direction = try choice(
                try argument(of: token, "a direction and a time: push left 1s"), "direction of push",
                EditTransition.Direction.self)
            return .transition(try transition(.push(direction), token, "push left 1s"))
        case "wipe": return .transition(try wipe(token))
        case "dip-to-black", "dip-to-white":
            return .transition(
                try transition(.dip(isWhite: token.text == "dip-to-white"), token, "\(token.text) 1s"))
        default: return .transition(try transition(.dissolve, token, "dissolve 1s"))
        }
    }

    /// Handles a file without a keyword before it, or a mistyped keyword.
    private mutating func fileAlone(_ token: EditToken) throws -> EditStatement.Kind {
        if !token.isQuoted, let name = optionName(token), Self.options.contains(name) {
            throw token.place.error("\(name)= stands before any statement: write it after the one that it is for")
        }
        // A file that does not exist and does not look like one is probably a mistyped keyword.
        if !token.isQuoted, !token.text.contains(".") && !token.text.contains("/"), resolved(token.file).kind == nil {
            throw token.place.error(unknown("statement", token.text, Self.words) + "; or is it a missing file?")
        }
        return .clip(try clip(token))
    }

    private func unknown(_ kind: String, _ name: String, _ known: [String]) -> String {
        UsageError(no: kind, called: name, among: known).description
    }

    private func optionName(_ token: EditToken) -> String? {
        guard let sign = token.text.firstIndex(of: "=") else { return nil }
        return String(token.text[..<sign])
    }

    /// The next word, which the statement requires.
    private mutating func argument(of token: EditToken, _ what: String) throws -> EditToken {
        guard let next = tokens.first, next.isQuoted || next.text != "+", !next.beginsLine else {
            throw token.place.error("\(token.text) wants \(what)")
        }
        tokens.removeFirst()
        return next
    }

    /// The words `name=value` behind a statement.
    private mutating func options(of statement: String, _ known: [String]) throws -> [String: EditToken] {
        var found: [String: EditToken] = [:]
        while let next = tokens.first, !next.isQuoted, !next.beginsLine, let name = optionName(next) {
            guard known.contains(name) else {
                // A file may be called so.
                if !Self.options.contains(name), resolved(next.file).kind != nil { break }
                throw next.place.error(unknown("option of \(statement)", name, known))
            }
            guard found[name] == nil else { throw next.place.error("\(name)= is given twice for one \(statement)") }
            tokens.removeFirst()
            found[name] = next.value(behind: name)
        }
        return found
    }

    private func resolved(_ file: FileName) -> FileName { folder.map { file.resolved(in: $0) } ?? file }

    // MARK: Statements

    private mutating func clip(_ name: EditToken) throws -> EditClip {
        let given = try options(of: "clip", ["from", "to", "for"])
        var clip = EditClip(file: resolved(name.file))
        clip.start = try given["from"].map { token in try time(token, "from") }
        clip.end = try given["to"].map { token in try time(token, "to") }
        clip.length = try given["for"].map { token in try length(token, "for") }
        if let end = clip.end, end <= clip.start ?? 0 {
            throw name.place.error(
                "\(name.file.shown) ends at to=\(given["to"]?.text ?? "") before it begins at from="
                    + "\(given["from"]?.text ?? "0"): to must be later than from")
        }
        if clip.end != nil, clip.length != nil {
            throw name.place.error("to= and for= exclude each other: \(name.file.shown) has both")
        }
        return clip
    }

    private mutating func transition(
        _ kind: EditTransition.Kind, _ token: EditToken, _ example: String
    ) throws -> EditTransition {
        let length = try self.length(try argument(of: token, "a time: \(example)"), token.text)
        _ = try options(of: token.text, [])
        return EditTransition(kind: kind, length: length)
    }

    private mutating func wipe(_ token: EditToken) throws -> EditTransition {
        let example = "wipe iris 1s"
        let shape = try argument(of: token, "a shape and a time: \(example)")
        guard EditWipe.shapes.contains(shape.text) else {
            throw shape.place.error(unknown("shape of wipe", shape.text, EditWipe.shapes))
        }
        let length = try self.length(try argument(of: token, "a time: \(example)"), token.text)
        let given = try options(of: "wipe", ["softness", "reverse", "map"])
        var wipe = EditWipe(shape: shape.text)
        wipe.softness = try given["softness"].map { token in try number(token, "softness", 0...1) } ?? 0
        if let token = given["reverse"] {
            guard ["yes", "no"].contains(token.text) else {
                throw token.place.error("reverse= is yes or no, not '\(token.text)'")
            }
            wipe.isReversed = token.text == "yes"
        }
        wipe.map = given["map"].map { resolved($0.file) }
        if wipe.shape == EditWipe.map, wipe.map == nil {
            throw token.place.error("wipe map wants a grey picture: wipe map 1s map=FILE.png")
        }
        if wipe.shape != EditWipe.map, wipe.map != nil {
            throw token.place.error("map= is for wipe map, not wipe \(wipe.shape)")
        }
        return EditTransition(kind: .wipe(wipe), length: length)
    }

    private mutating func title(_ text: EditToken) throws -> EditTitle {
        guard !text.text.isEmpty else { throw text.place.error("a title has no text: title \"Text\"") }
        var title = EditTitle(text: text.text)
        let given = try options(of: "title", ["at", "for", "size", "position", "fade"])
        if let token = given["at"] { title.start = try time(token, "at") }
        if let token = given["for"] { title.length = try length(token, "for") }
        if let token = given["fade"] { title.fade = try time(token, "fade") }
        if let token = given["size"] { title.size = try number(token, "size", 1...50) }
        if let token = given["position"] {
            title.position = try choice(token, "position of a title", EditTitle.Position.self)
        }
        guard title.fade <= title.length / 2 else {
            throw text.place.error("a title's fade= may last half of its time at most")
        }
        return title
    }

    // MARK: Values

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ token: EditToken, _ kind: String, _ type: Choice.Type
    ) throws -> Choice where Choice.RawValue == String {
        guard let found = Choice(rawValue: token.text) else {
            throw token.place.error(unknown(kind, token.text, Choice.allCases.map(\.rawValue)))
        }
        return found
    }

    private func number(_ token: EditToken, _ name: String, _ range: ClosedRange<Double>) throws -> Double {
        guard let value = Double(token.text), range.contains(value) else {
            throw token.place.error(
                "\(name)= must lie between \(plain(range.lowerBound)) and \(plain(range.upperBound)), not "
                    + "'\(token.text)'")
        }
        return value
    }

    private func plain(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }

    /// A time that is longer than none.
    private func length(_ token: EditToken, _ what: String) throws -> UInt64 {
        let value = try time(token, what)
        guard value > 0 else { throw token.place.error("\(what) lasts no time: give a time such as 1s") }
        return value
    }

    /// A time in ns.
    private func time(_ token: EditToken, _ what: String = "gap") throws -> UInt64 {
        let text = token.text
        guard !text.hasPrefix("-") else {
            throw token.place.error("\(what) is negative: \(text); times are 0 or more")
        }
        do {
            return try Time.parse(text, what)
        } catch {
            throw token.place.error(error.description)
        }
    }
}

extension FileName {
    /// The file that a list in a folder means by this name.
    func resolved(in folder: FileName) -> FileName {
        bytes.first == UInt8(ascii: "/") || folder == FileName(".") ? self : folder.appending(self)
    }
}
