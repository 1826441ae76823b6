import HDRMetadata

// The registry of HDR boxes. The type of a box's value and the coding of its payload are in HDRMetadata; everything
// else is in this file: the values of a track's boxes (`HDRBoxValues`), the edits of them (`HDRBoxEdits`), and how each
// box is named, read and written (`HDRBox.all`). A new box is a line in each of the three.

/// The values of a video track's HDR boxes; `nil` where there is no such box. Matroska's elements and MXF's items of
/// the same meaning are read into the same values.
package struct HDRBoxValues: Equatable, Sendable {
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: ContentLightLevel?
    package var ambientViewing: AmbientViewing?
    package var dolbyVision: DolbyVisionRecord?
}

/// The edits of the HDR metadata in a file's header.
package struct HDRBoxEdits: Equatable, Sendable {
    package var masteringDisplay: ContainerEdit<MasteringDisplay> = .keep
    /// Levels of 0 are not known yet: the header keeps room for them, which later levels fill.
    package var contentLightLevel: ContainerEdit<ContentLightLevel> = .keep
    /// Matroska has no element for it.
    package var ambientViewing: ContainerEdit<AmbientViewing> = .keep
    package var dolbyVision: ContainerEdit<DolbyVisionRecord> = .keep
}

/// A box of HDR metadata in a video sample entry (ISO/IEC 14496-12 section 12.1).
struct HDRBox: Sendable {
    /// A box as it is written.
    struct Coded: Equatable, Sendable {
        var type: FourCC
        var payload: [UInt8]
    }

    /// The types that the box may have.
    let types: Set<FourCC>
    /// Reads a payload into a track's values. One that is too short leaves them without a value.
    let read: @Sendable (_ payload: [UInt8], _ type: FourCC, _ values: inout HDRBoxValues) -> Void
    /// The edit of the box.
    let edit: @Sendable (HDRBoxEdits) -> ContainerEdit<Coded>
    /// Removes the value that would be written, for AVFoundation's HDRMetadataInsertionMode none.
    let withhold: @Sendable (inout HDRBoxEdits) -> Void

    /// The boxes in the order of a sample entry.
    static let all: [HDRBox] = [
        HDRBox(
            DolbyVisionRecord.boxTypes, \.dolbyVision, \.dolbyVision,
            read: { DolbyVisionRecord(payload: $0, boxType: $1) }, write: { ($0.boxType, $0.payload) }),
        HDRBox(
            "mdcv", \.masteringDisplay, \.masteringDisplay, read: { MasteringDisplay(payload: $0) },
            write: \.payload),
        HDRBox(
            "clli", \.contentLightLevel, \.contentLightLevel, read: { ContentLightLevel(payload: $0) },
            write: \.payload),
        HDRBox("amve", \.ambientViewing, \.ambientViewing, read: { AmbientViewing(payload: $0) }, write: \.payload),
    ]

    static func box(of type: FourCC) -> HDRBox? { all.first { $0.types.contains(type) } }

    /// A box of one type whose payload consists of the value alone.
    private init<Value: Equatable & Sendable>(
        _ type: FourCC, _ value: WritableKeyPath<HDRBoxValues, Value?> & Sendable,
        _ edit: WritableKeyPath<HDRBoxEdits, ContainerEdit<Value>> & Sendable,
        read: @escaping @Sendable ([UInt8]) -> Value?, write: @escaping @Sendable (Value) -> [UInt8]
    ) {
        self.init([type], value, edit, read: { payload, _ in read(payload) }, write: { (type, write($0)) })
    }

    /// A box of several types, one of which belongs to each value.
    private init<Value: Equatable & Sendable>(
        _ types: Set<FourCC>, _ value: WritableKeyPath<HDRBoxValues, Value?> & Sendable,
        _ edit: WritableKeyPath<HDRBoxEdits, ContainerEdit<Value>> & Sendable,
        read: @escaping @Sendable ([UInt8], FourCC) -> Value?,
        write: @escaping @Sendable (Value) -> (FourCC, [UInt8])
    ) {
        self.types = types
        self.read = { payload, type, values in values[keyPath: value] = read(payload, type) }
        self.edit = { edits in
            switch edits[keyPath: edit] {
            case .keep: return .keep
            case .remove: return .remove
            case .set(let new):
                let (type, payload) = write(new)
                return .set(Coded(type: type, payload: payload))
            }
        }
        withhold = { edits in
            if case .set = edits[keyPath: edit] { edits[keyPath: edit] = .remove }
        }
    }
}
