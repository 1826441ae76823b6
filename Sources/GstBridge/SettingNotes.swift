import HDRConcurrency

/// What has to be reported about property values that could not be used as they were set, kept until the element is on
/// a bus.
package struct SettingNotes: Sendable {
    private var notes: [(property: String, text: String)] = []

    package init() {}

    /// Replaces an earlier note on the same property; `nil` where nothing is wrong with its value any more.
    package mutating func set(_ property: String, _ text: String?) {
        notes.removeAll { $0.property == property }
        if let text { notes.append((property, text)) }
    }

    /// The notes, in the order in which they were made. They are forgotten here.
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
    /// Reports what became of a property's value: at once, or when the element leaves NULL, as it may be on no bus
    /// before.
    /// - Parameter text: `nil` where the value was taken as it is.
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
