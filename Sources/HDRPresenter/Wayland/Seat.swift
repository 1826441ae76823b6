import CWayland

/// The window's pointer and keyboard.
final class Seat {
    private enum PointerEvent {
        static let enter: UInt32 = 0, leave: UInt32 = 1, motion: UInt32 = 2, button: UInt32 = 3, axis: UInt32 = 4
    }
    private enum KeyboardEvent { static let leave: UInt32 = 2, key: UInt32 = 3 }
    private enum Capability { static let pointer: UInt32 = 1, keyboard: UInt32 = 2 }

    private let version: UInt32
    private var pointer: Proxy?
    private var keyboard: Proxy?
    private var position = (x: 0.0, y: 0.0)
    private var isInside = false
    private var pressed: Set<UInt32> = []

    private let surface: OpaquePointer
    /// The number of pixels of the window per unit of the surface.
    private let scale: () -> Double
    private let report: (PresenterInput) -> Void

    init(
        version: UInt32, surface: OpaquePointer, scale: @escaping () -> Double,
        report: @escaping (PresenterInput) -> Void
    ) {
        self.version = version
        self.surface = surface
        self.scale = scale
        self.report = report
    }

    func destroy() {
        pointer?.destroy()
        keyboard?.destroy()
    }

    func setCapabilities(_ capabilities: UInt32, of seat: OpaquePointer) {
        if capabilities & Capability.pointer == 0 {
            pointer?.destroy()
            pointer = nil
            isInside = false
        } else if pointer == nil {
            pointer = Proxy(
                wl_seat_get_pointer(seat), destroyedBy: version >= 3 ? wl_pointer_release : wl_pointer_destroy
            ) { [weak self] opcode, arguments in self?.handlePointer(opcode, arguments) }
        }
        if capabilities & Capability.keyboard == 0 {
            keyboard?.destroy()
            keyboard = nil
            releaseKeys()
        } else if keyboard == nil {
            keyboard = Proxy(
                wl_seat_get_keyboard(seat), destroyedBy: version >= 3 ? wl_keyboard_release : wl_keyboard_destroy
            ) { [weak self] opcode, arguments in self?.handleKeyboard(opcode, arguments) }
        }
    }

    private func move(_ x: Double, _ y: Double) {
        position = (x * scale(), y * scale())
        report(.pointerMoved(x: position.x, y: position.y))
    }

    private func handlePointer(_ opcode: UInt32, _ arguments: EventArguments) {
        if opcode == PointerEvent.enter {
            isInside = arguments.object(1) == surface
            if isInside { move(arguments.fixed(2), arguments.fixed(3)) }
            return
        }
        guard isInside else { return }
        switch opcode {
        case PointerEvent.leave: isInside = false
        case PointerEvent.motion: move(arguments.fixed(1), arguments.fixed(2))
        case PointerEvent.button:
            guard let button = Self.button(arguments.uint(2)) else { return }
            if arguments.uint(3) == 0 {
                report(.buttonReleased(button, x: position.x, y: position.y))
            } else {
                report(.buttonPressed(button, x: position.x, y: position.y))
            }
        case PointerEvent.axis:
            // Down and right are positive in Wayland, and a step of a wheel is 10.
            let steps = arguments.fixed(2) / 10
            let (dx, dy) = arguments.uint(1) == 1 ? (steps, 0) : (0, -steps)
            report(.scrolled(dx: dx, dy: dy, x: position.x, y: position.y))
        default: break
        }
    }

    /// X11's number for BTN_LEFT and so on; numbers 4 to 7 stand for the wheel there.
    static func button(_ code: UInt32) -> Int? {
        switch code {
        case 0x110: 1
        case 0x111: 3
        case 0x112: 2
        case 0x113...0x117: Int(code) - 0x113 + 8
        default: nil
        }
    }

    private func handleKeyboard(_ opcode: UInt32, _ arguments: EventArguments) {
        switch opcode {
        case KeyboardEvent.leave: releaseKeys()
        case KeyboardEvent.key:
            let code = arguments.uint(2)
            guard let name = KeyNames.name(code) else { return }
            if arguments.uint(3) == 0 {
                pressed.remove(code)
                report(.keyReleased(name))
            } else {
                pressed.insert(code)
                report(.keyPressed(name))
            }
        default: break
        }
    }

    private func releaseKeys() {
        for code in pressed.sorted() {
            if let name = KeyNames.name(code) { report(.keyReleased(name)) }
        }
        pressed = []
    }
}
