import CWayland

/// A wl_output, and the display behind it.
final class Output {
    private enum Event {
        static let geometry: UInt32 = 0, mode: UInt32 = 1, done: UInt32 = 2, scale: UInt32 = 3, name: UInt32 = 4
    }

    /// The output's number in the registry.
    let global: UInt32
    private(set) var proxy: Proxy?
    private var color: Proxy?
    private var reader: DescriptionReader?
    private let onChange: () -> Void

    private var model = ""
    private var connector = ""
    /// The connector's name with the display's make and model, as far as they are known.
    var name: String { [connector, model].filter { !$0.isEmpty }.joined(separator: ", ") }
    private(set) var scale = 1
    /// The refresh interval in nanoseconds; 0 where it is unknown.
    private(set) var refreshInterval: UInt64 = 0
    private(set) var description: DisplayDescription?

    /// - Parameter onChange: called when any property of the output has changed.
    init(_ pointer: OpaquePointer, global: UInt32, version: UInt32, onChange: @escaping () -> Void) {
        self.global = global
        self.onChange = onChange
        proxy = Proxy(pointer, destroyedBy: version >= 3 ? wl_output_release : wl_output_destroy) {
            [weak self] opcode, arguments in self?.handle(opcode, arguments)
        }
    }

    func follow(_ manager: OpaquePointer) {
        guard color == nil, let output = proxy?.pointer else { return }
        color = Proxy(
            wp_color_manager_v1_get_output(manager, output), destroyedBy: wp_color_management_output_v1_destroy
        ) { [weak self] opcode, _ in
            if opcode == 0 { self?.readDescription() }
        }
        readDescription()
    }

    func destroy() {
        reader?.cancel()
        color?.destroy()
        proxy?.destroy()
    }

    private func readDescription() {
        guard let color = color?.pointer else { return }
        reader?.cancel()
        reader = DescriptionReader(wp_color_management_output_v1_get_image_description(color)) {
            [weak self] description in
            self?.description = description
            self?.onChange()
        }
    }

    private func handle(_ opcode: UInt32, _ arguments: EventArguments) {
        switch opcode {
        case Event.geometry:
            let parts = [arguments.string(5), arguments.string(6)]
            model = parts.filter { !$0.isEmpty }.joined(separator: " ")
        case Event.mode:
            // Modes other than the current one are ignored.
            guard arguments.uint(0) & 1 != 0, arguments.int(3) > 0 else { return }
            refreshInterval = 1_000_000_000_000 / UInt64(arguments.int(3))
        case Event.scale: scale = min(max(1, Int(arguments.int(0))), 16)
        case Event.name: connector = arguments.string(0)
        default: break
        }
        // Version 1 has no event `done`; reporting half of a change does no harm.
        onChange()
    }
}
