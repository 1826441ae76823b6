/// Payload types of SEI messages. H.264 and H.265 share them.
package enum SEIType {
    /// user_data_registered_itu_t_t35: H.265 D.2.6.
    package static let registeredUserData = 4
    /// mastering_display_colour_volume: D.2.28.
    package static let masteringDisplay = 137
    /// content_light_level_info: D.2.35.
    package static let contentLightLevel = 144
    /// alternative_transfer_characteristics: D.2.38.
    package static let alternativeTransfer = 147
    /// ambient_viewing_environment: D.2.39.
    package static let ambientViewing = 148

    static func isStaticHDR(_ type: Int) -> Bool {
        type == masteringDisplay || type == contentLightLevel || type == alternativeTransfer || type == ambientViewing
    }
}

/// The SEI messages of one NAL unit: H.265 7.3.2.4 and 7.3.5.
package struct SEIMessages: Sendable {
    package struct Message: Equatable, Sendable {
        package let type: Int
        /// The message with its type and size, and its payload alone, as ranges of `bytes`.
        package let whole: Range<Int>
        package let payload: Range<Int>
    }

    /// The NAL unit without emulation prevention.
    package let bytes: [UInt8]
    package let messages: [Message]
    /// The bytes behind the last message that could be parsed: the stop bit, and anything that a faulty encoder has
    /// appended.
    package let tail: Range<Int>

    /// Reads an escaped NAL unit whose header has `headerSize` bytes: 2 in H.265, 1 in H.264. Truncated messages are
    /// part of the tail.
    package init(_ unit: UnsafeRawBufferPointer, headerSize: Int) {
        bytes = EmulationPrevention.removed(from: unit)
        var found: [Message] = []
        // The stop bit of a payload of whole bytes is a byte 0x80, and zeros may follow it.
        let last = bytes.lastIndex { $0 != 0 } ?? 0
        var position = min(headerSize, bytes.count)
        while position < bytes.count, !(position >= last && bytes[position] == 0x80) {
            guard let message = Self.message(of: bytes, at: position) else { break }
            found.append(message)
            position = message.whole.upperBound
        }
        messages = found
        tail = position..<bytes.count
    }

    package func payload(of message: Message) -> ArraySlice<UInt8> { bytes[message.payload] }

    /// The type of the truncated message that the tail begins with; `nil` where there is none.
    var typeOfTail: Int? {
        if tail.isEmpty || tail.count == 1 && bytes[tail.lowerBound] == 0x80 { return nil }
        return Self.number(in: bytes, at: tail.lowerBound)?.value
    }

    enum Edit: Equatable {
        case keep
        case remove
        /// Replaces the message by one with this payload.
        case replace([UInt8])
    }

    /// The NAL unit with changed messages, in their order; removed where none is left.
    /// - Parameter dropsTail: whether a plain stop bit takes the tail's place.
    func changed(dropsTail: Bool = false, _ edit: (Message) -> Edit) -> NALUnitChange.Outcome {
        let edits = messages.map(edit)
        if !dropsTail, edits.allSatisfy({ $0 == .keep }) { return .keep }
        if edits.allSatisfy({ $0 == .remove }) { return .remove }
        var unit = Array(bytes.prefix(messages.first?.whole.lowerBound ?? 0))
        for (message, edit) in zip(messages, edits) {
            switch edit {
            case .keep: unit += bytes[message.whole]
            case .remove: break
            case .replace(let payload): Self.append(message.type, payload, to: &unit)
            }
        }
        if dropsTail { unit.append(0x80) } else { unit += bytes[tail] }
        return .replace(EmulationPrevention.inserted(into: unit))
    }

    /// A NAL unit, escaped, with messages of these types and payloads.
    package static func unit(header: [UInt8], _ messages: [(type: Int, payload: [UInt8])]) -> [UInt8] {
        var bytes = header
        for message in messages { append(message.type, message.payload, to: &bytes) }
        bytes.append(0x80)
        return EmulationPrevention.inserted(into: bytes)
    }

    private static func message(of bytes: [UInt8], at start: Int) -> Message? {
        guard let type = number(in: bytes, at: start), let size = number(in: bytes, at: type.end),
            size.value <= bytes.count - size.end
        else { return nil }
        let end = size.end + size.value
        return Message(type: type.value, whole: start..<end, payload: size.end..<end)
    }

    /// A number as a run of 0xFF and a last byte.
    private static func number(in bytes: [UInt8], at start: Int) -> (value: Int, end: Int)? {
        var value = 0
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            value += Int(byte)
            index += 1
            if byte != 0xFF { return (value, index) }
        }
        return nil
    }

    private static func append(_ type: Int, _ payload: [UInt8], to bytes: inout [UInt8]) {
        append(type, to: &bytes)
        append(payload.count, to: &bytes)
        bytes += payload
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        let number = max(number, 0)
        bytes.append(contentsOf: repeatElement(0xFF, count: number / 255))
        bytes.append(UInt8(truncatingIfNeeded: number % 255))
    }
}
