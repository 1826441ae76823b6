extension JSON: Equatable {
    /// Compares values. The order of an object's members does not matter; numbers are compared by their digits.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.sorted { $0.0 < $1.0 }.elementsEqual(right.sorted { $0.0 < $1.0 }) {
                    $0.0 == $1.0 && $0.1 == $1.1
                }
        default: false
        }
    }

    /// The member of an object; `nil` where there is none, and of any other value.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }

    /// The values of an array.
    package var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A number without fraction and exponent.
    package var integer: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }

    /// The member of an object that must have it.
    /// - Parameter path: this value's name in errors, such as "SceneInfo[3]"; empty for the document.
    package func member(_ name: String, of path: String) throws(JSONError) -> JSON {
        guard let value = self[name] else {
            throw JSONError("there is no \(path.isEmpty ? name : "\(path).\(name)") in the JSON")
        }
        return value
    }

    /// An integer in a range, or an error that names it by its path.
    package func integer(_ range: ClosedRange<Int>, _ path: String) throws(JSONError) -> Int {
        guard let value = integer, range.contains(value) else {
            throw JSONError(
                "\(path) in the JSON is \(line.prefix(40)), and should be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        return value
    }

    /// An array of such integers.
    package func integers(_ range: ClosedRange<Int>, _ path: String) throws(JSONError) -> [Int] {
        guard let values = array else { throw JSONError("\(path) in the JSON is no array") }
        var result: [Int] = []
        result.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            result.append(try value.integer(range, "\(path)[\(index)]"))
        }
        return result
    }
}
