/// Why an encoder cannot be used.
package struct EncoderRefusal: Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        case missing
        /// Its sink pad does not accept such pictures.
        case input(String)
        /// Its source pad cannot output such a stream.
        case output(String)
        /// It lacks a property that the plan needs, or the property does not accept the value.
        case property(String)
        /// Its device, or the driver, does not support the plan.
        case device
    }

    /// The element's factory name.
    package var factory: String
    package var isHardware: Bool
    package var reason: Reason

    package init(_ encoder: EncoderOptions, _ reason: Reason) {
        self.init(encoder.factory, isHardware: encoder.isHardware, reason)
    }

    package init(_ factory: String, isHardware: Bool = false, _ reason: Reason) {
        self.factory = factory
        self.isHardware = isHardware
        self.reason = reason
    }

    /// A sentence without its full stop, such as "vah265enc does not take I422_10LE of 1920x1080".
    package var description: String {
        switch reason {
        case .missing: "\(factory) is not installed"
        case .input(let text): "\(factory) does not take \(text)"
        case .output(let text): "\(factory) does not make \(text)"
        case .property(let text): "\(factory) has no \(text)"
        case .device: "\(factory) does not start: its device or driver refuses the plan"
        }
    }
}
