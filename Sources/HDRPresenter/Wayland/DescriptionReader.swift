import CWayland

/// Reads a display's image description, event by event.
final class DescriptionReader {
    private enum DescriptionEvent { static let failed: UInt32 = 0, ready: UInt32 = 1, ready2: UInt32 = 2 }
    private enum InfoEvent {
        static let done: UInt32 = 0, luminances: UInt32 = 6, targetPrimaries: UInt32 = 7, targetLuminance: UInt32 = 8
    }

    private var description: Proxy?
    private var information: Proxy?
    private var result = DisplayDescription()
    /// Called once, with `nil` if the compositor has no description.
    private let finish: (DisplayDescription?) -> Void

    /// - Parameter description: the result of a get_preferred or get_image_description request.
    init(_ description: OpaquePointer?, finish: @escaping (DisplayDescription?) -> Void) {
        self.finish = finish
        self.description = Proxy(description, destroyedBy: wp_image_description_v1_destroy) { [weak self] opcode, _ in
            self?.handle(opcode)
        }
    }

    func cancel() {
        information?.destroy()
        description?.destroy()
    }

    private func handle(_ opcode: UInt32) {
        switch opcode {
        case DescriptionEvent.failed:
            cancel()
            finish(nil)
        case DescriptionEvent.ready, DescriptionEvent.ready2:
            guard information == nil, let pointer = description?.pointer else { return }
            information = Proxy(
                wp_image_description_v1_get_information(pointer), destroyedBy: wp_image_description_info_v1_destroy
            ) { [weak self] opcode, arguments in self?.handleInformation(opcode, arguments) }
        default: break
        }
    }

    private func handleInformation(_ opcode: UInt32, _ arguments: EventArguments) {
        switch opcode {
        case InfoEvent.luminances:
            result.primaryMaximum = Double(arguments.uint(1))
            result.referenceWhite = Double(arguments.uint(2))
        case InfoEvent.targetPrimaries:
            result.targetPrimaries = (0..<8).map { Double(arguments.int($0)) / 1_000_000 }
        case InfoEvent.targetLuminance:
            result.targetMinimum = Double(arguments.uint(0)) / 10_000
            result.targetMaximum = Double(arguments.uint(1))
        case InfoEvent.done:
            cancel()
            finish(result)
        default: break
        }
    }
}
