/// Error texts for buffers that do not match their caps. They are the same in every element, and point to the element
/// upstream of the one that found the fault.
package enum WrongBuffer {
    /// A complete error message for a defect of a buffer.
    /// - Parameter defect: a sentence without its full stop.
    package static func message(_ defect: String) -> String {
        "\(defect); the upstream element produces wrong buffers."
    }

    /// The message for a buffer that cannot be mapped as a picture of its caps.
    /// - Parameter size: the size of the buffer in bytes.
    package static func noPicture(size: Int) -> String {
        message("A buffer of \(size) bytes does not hold a picture of its caps")
    }
}
