import CX265

/// The parameters of an encoder, with libx265's functions for their bit depth. They may be freed while encoders that
/// were opened with them exist.
final class X265Parameters {
    let api: UnsafePointer<x265_api>
    let pointer: UnsafeMutablePointer<x265_param>

    /// Why parameters cannot be used, as text for an error message.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// - Parameters:
    ///   - depth: the bit depth of the stream's samples.
    ///   - preset: a preset name of libx265; `nil` for its defaults.
    init(depth: Int32, preset: String?, tune: String?) throws(Failure) {
        guard let api = cx265_api(depth) else {
            throw Failure(
                "This libx265 does not encode \(depth) bits. Convert to another format before this element, or install "
                    + "a libx265 that was built with that depth.")
        }
        guard let pointer = api.pointee.param_alloc() else { throw Failure("libx265 is out of memory.") }
        self.api = api
        self.pointer = pointer
        api.pointee.param_default(pointer)
        if preset != nil || tune != nil, api.pointee.param_default_preset(pointer, preset, tune) < 0 {
            throw Failure("This libx265 does not have the preset \(preset ?? "") or the tune \(tune ?? "").")
        }
    }

    deinit {
        cx265_param_free(api, pointer)
    }

    enum Outcome {
        case taken
        case unknownName
        case badValue
    }

    /// Sets a parameter by its name on the command line. Whether a number is in range is only known when the encoder is
    /// opened.
    @discardableResult
    func parse(_ name: String, _ value: String?) -> Outcome {
        switch api.pointee.param_parse(pointer, name, value) {
        case 0: .taken
        case X265_PARAM_BAD_NAME: .unknownName
        default: .badValue
        }
    }
}
