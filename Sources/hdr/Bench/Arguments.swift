import Glibc

func say(_ text: String) { _ = text.withCString { write(2, $0, strlen($0)) } }

func fail(_ text: String) -> Never {
    Progress.clear()
    say("hdrbench: \(text)\n")
    exit(1)
}

/// Why something cannot be measured.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// The words of a command line: options that stand alone, options that take the word after them, and the rest.
struct Arguments {
    private(set) var words: [String] = []
    private var flags: Set<String> = []
    private var values: [String: String] = [:]

    /// Ends the program where an option is none of these. Where one is given twice, the last counts.
    init(_ line: some Sequence<String>, flags known: [String], values taking: [String]) {
        var next = line.makeIterator()
        while let word = next.next() {
            guard word.hasPrefix("-") else {
                words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if known.contains(word) {
                flags.insert(word)
            } else if taking.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : next.next() else { fail("\(word) wants a value") }
                values[parts[0]] = value
            } else {
                let shown = (taking + known).filter { $0 != Processes.childFlag }
                fail("no option is called \(parts[0]): there are \(shown.joined(separator: ", "))")
            }
        }
    }

    func has(_ option: String) -> Bool { flags.contains(option) }

    func value(_ option: String) -> String? { values[option] }

    func number(_ option: String, or other: Int) -> Int {
        guard let text = values[option] else { return other }
        guard let value = Int(text), value > 0 else { fail("\(option) wants a number above 0, not \(text)") }
        return value
    }

    /// The comma-separated names after an option, each once, if all are known. `all` stands for every one.
    func names(_ option: String, of known: [String]) -> [String]? {
        guard let text = values[option] else { return nil }
        return pick(option, split(text), of: known)
    }

    /// The comma-separated numbers after an option, each once.
    func numbers(_ option: String, upTo most: Int) -> [Int]? {
        guard let text = values[option] else { return nil }
        return unique(
            split(text).map { word in
                guard let value = Int(word), (1...most).contains(value) else {
                    fail("\(option) wants numbers from 1 to \(most), not \(word.isEmpty ? "nothing" : word)")
                }
                return value
            })
    }

    /// The words themselves, as ``names(_:of:)``.
    func words(called what: String, of known: [String]) -> [String] {
        pick(what, words.flatMap(split), of: known)
    }

    private func split(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private func pick(_ what: String, _ names: [String], of known: [String]) -> [String] {
        if names.contains("all") { return known }
        for name in names where !known.contains(name) {
            let wrong = name.isEmpty ? "a name is missing" : "\(name) is none"
            fail("\(what): \(wrong): there are \(known.joined(separator: ", "))")
        }
        return unique(names)
    }

    private func unique<T: Hashable>(_ list: [T]) -> [T] {
        var seen: Set<T> = []
        return list.filter { seen.insert($0).inserted }
    }
}
