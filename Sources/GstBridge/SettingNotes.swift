import HDRConcurrency

/// Notes about property values that could not be used as they were set, kept until the element is on a bus.
package struct SettingNotes: Sendable {
    private var notes: [(property: String, text: String)] = []

    package init() {}

    /// Replaces the note on a property; `nil` where its value is valid.
    package mutating func set(_ property: String, _ text: String?) {
        notes.removeAll { $0.property == property }
        if let text { notes.append((property, text)) }
    }

    /// Returns the notes in the order in which they were made, and forgets them.
    package mutating func take() -> [String] {
        defer { notes = [] }
        return notes.map(\.text)
    }
}

/// An element that reports property values which it did not use as they were set.
package protocol AdvisingElement: ElementObject {
    var notes: Locked<SettingNotes> { get }
    var log: Log { get }
}

extension AdvisingElement {
    /// Reports how a property's value was changed: at once, or when the element leaves NULL, since it may not be on a
    /// bus before.
    /// - Parameter text: the note; `nil` where the value was used as it is.
    package func advise(
        _ property: String, _ text: String?, file: StaticString = #fileID, function: StaticString = #function,
        line: Int32 = #line
    ) {
        let hasBus = ElementMessage.hasBus(gstElement)
        notes.withLock { $0.set(property, hasBus ? nil : text) }
        guard let text else { return }
        if hasBus {
            warning(text, file: file, function: function, line: line)
        } else {
            log.warning(text, file: file, function: function, line: line)
        }
    }
}
