extension JSON {
    /// The members of an object, which may have these names only: an unknown name is a spelling mistake.
    package func members(among known: [String], _ path: String) throws(JSONError) -> [(String, JSON)] {
        guard case .object(let members) = self else {
            throw JSONError("\(path.isEmpty ? "the JSON" : "\(path) in the JSON") is no object")
        }
        for (name, _) in members where !known.contains(name) {
            throw JSONError(
                "nothing is called \(path.isEmpty ? name : "\(path).\(name)") in the JSON: there are "
                    + known.joined(separator: ", "))
        }
        return members
    }

    package func bool(_ path: String) throws(JSONError) -> Bool {
        guard case .bool(let value) = self else { throw JSONError("\(path) in the JSON is neither true nor false") }
        return value
    }

    package func string(_ path: String) throws(JSONError) -> String {
        guard let string else { throw JSONError("\(path) in the JSON is no text") }
        return string
    }

    package func array(_ path: String) throws(JSONError) -> [JSON] {
        guard let array else { throw JSONError("\(path) in the JSON is no array") }
        return array
    }
}
