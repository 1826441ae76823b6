import CGStreamer
import CGstHDR
import GstBridge

/// Tells the element how to compose the pictures of a range of stream time.
final class CompositionInstruction: @unchecked Sendable {
    /// The range of stream time in ns.
    let times: Range<UInt64>
    /// The names of the pads whose pictures are needed; `nil` for all pads.
    let requiredSources: Set<String>?
    /// The name of the pad whose picture is the result; `nil` where the picture is composed.
    let passthrough: String?
    /// The structure as the application passed it; owned.
    let structure: Structure.Pointer

    /// Why an instruction is not accepted, as text for an error.
    struct Defect: Error, CustomStringConvertible {
        let description: String
    }

    init(_ given: UnsafePointer<GstStructure>) throws(Defect) {
        let start = try Self.time(given, "start") ?? 0
        let end = try Self.time(given, "end") ?? UInt64.max
        guard start < end else {
            throw Defect(
                description: "An instruction ends at \(end) ns, not after its start at \(start) ns: times are those of "
                    + "the stream, and the end is the first that the instruction does not have")
        }
        times = start..<end
        requiredSources = try Self.names(given, "required-sources").map { Set($0) }
        let passed = try Self.names(given, "passthrough") ?? []
        guard passed.count <= 1 else {
            throw Defect(description: "The field passthrough of an instruction names more than one pad")
        }
        passthrough = passed.first
        guard let copy = gst_structure_copy(given) else {
            throw Defect(description: "Out of memory for an instruction")
        }
        structure = copy
    }

    deinit { gst_structure_free(structure) }

    private static func time(_ given: UnsafePointer<GstStructure>, _ field: String) throws(Defect) -> UInt64? {
        guard let value = gst_structure_get_value(given, field) else { return nil }
        if value.holds(GTypes.uint64) { return UInt64(g_value_get_uint64(value)) }
        let signed: Int64? =
            if value.holds(GTypes.int64) {
                Int64(g_value_get_int64(value))
            } else if value.holds(GTypes.int) {
                Int64(g_value_get_int(value))
            } else if value.holds(GTypes.uint) {
                Int64(g_value_get_uint(value))
            } else {
                nil
            }
        guard let signed, signed >= 0 else {
            throw Defect(
                description: "The field \(field) of an instruction is no time: it is a guint64, in ns of stream time")
        }
        return UInt64(signed)
    }

    private static func names(_ given: UnsafePointer<GstStructure>, _ field: String) throws(Defect) -> [String]? {
        guard gst_structure_get_value(given, field) != nil else { return nil }
        guard let text = gst_structure_get_string(given, field).map({ String(cString: $0) }) else {
            throw Defect(
                description: "The field \(field) of an instruction is no text: it holds names of pads, such as "
                    + "sink_0, with commas between them")
        }
        let names = text.split { $0 == "," || $0 == " " }.map(String.init)
        // Pads may be requested after the instruction was added, so only a name that no pad can have is an error.
        if let other = names.first(where: { !Self.isPadName($0) }) {
            throw Defect(
                description: "The field \(field) of an instruction names \(other), which no pad can be called: pads "
                    + "are called sink_0, sink_1 and so on")
        }
        return names
    }
}

extension CompositionInstruction {
    /// Whether a pad of the template sink_%u can have the name.
    fileprivate static func isPadName(_ name: String) -> Bool {
        guard name.hasPrefix("sink_") else { return false }
        let number = name.utf8.dropFirst("sink_".utf8.count)
        return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension HDRCompositor {
    /// - Returns: `nil`, or an error that the caller owns.
    func addInstruction(_ structure: UnsafePointer<GstStructure>?) -> UnsafeMutablePointer<GError>? {
        guard let structure else { return gst_hdr_tap_settings_error("An instruction is NULL") }
        do throws(CompositionInstruction.Defect) {
            let made = try CompositionInstruction(structure)
            return instructions.withLock { instructions in
                if let other = instructions.first(where: { $0.times.overlaps(made.times) }) {
                    return gst_hdr_tap_settings_error(
                        "An instruction from \(made.times.lowerBound) ns overlaps another one, from "
                            + "\(other.times.lowerBound) ns: take that back with clear-instructions before")
                }
                instructions.append(made)
                return nil
            }
        } catch {
            return gst_hdr_tap_settings_error(error.description)
        }
    }

    /// How the picture of a time is composed.
    enum Direction {
        /// There are no instructions; the application's compositor decides.
        case free
        case instructed(CompositionInstruction)
        /// No instruction covers this time, so the element composes the picture itself.
        case builtIn
    }

    /// The instruction for a picture.
    /// - Parameter time: in ns of stream time; `nil` where it is not known.
    func direction(at time: UInt64?) -> Direction {
        instructions.withLock { instructions in
            if instructions.isEmpty { return .free }
            guard let time, let found = instructions.first(where: { $0.times.contains(time) }) else { return .builtIn }
            return .instructed(found)
        }
    }
}
