import CWayland

/// The compositor's global objects that are used here.
final class Globals {
    private(set) var compositor: Proxy?
    private(set) var compositorVersion: UInt32 = 0
    private(set) var subcompositor: Proxy?
    private(set) var shm: Proxy?
    private(set) var windowManager: Proxy?
    private(set) var decorations: Proxy?
    private(set) var viewporter: Proxy?
    private(set) var presentation: Proxy?
    private(set) var colorManager: Proxy?
    private(set) var seat: Proxy?
    private(set) var seatVersion: UInt32 = 0
    private(set) var outputs: [Output] = []

    private(set) var features = ColorFeatures()
    /// The wl_shm number of each format that the compositor takes.
    private(set) var formatCodes: [PictureFormat: UInt32] = [:]
    /// The wl_shm number of each format that the compositor takes with alpha.
    private(set) var alphaCodes: [PictureFormat: UInt32] = [:]
    /// The clock that presentation feedback uses.
    private(set) var presentationClock: Int32 = 1
    /// Whether the compositor has sent all of its color features.
    private(set) var hasAllColorFeatures = false

    private var registry: Proxy?
    private let wantsSeat: Bool
    private let onChange: () -> Void
    /// Called with an output before it is removed.
    var outputRemoved: ((Output) -> Void)?

    /// - Parameter display: a wrapper of the display on the presenter's queue.
    init(display: OpaquePointer, wantsSeat: Bool, onChange: @escaping () -> Void) {
        self.wantsSeat = wantsSeat
        self.onChange = onChange
        registry = Proxy(wl_display_get_registry(display), destroyedBy: wl_registry_destroy) {
            [weak self] opcode, arguments in
            switch opcode {
            case 0: self?.add(arguments.uint(0), arguments.string(1), arguments.uint(2))
            case 1: self?.remove(arguments.uint(0))
            default: break
            }
        }
    }

    func destroy() {
        for output in outputs { output.destroy() }
        outputs = []
        for proxy in [
            seat, colorManager, presentation, viewporter, decorations, windowManager, shm, subcompositor, compositor,
            registry,
        ] {
            proxy?.destroy()
        }
    }

    /// Follows the color descriptions of the outputs, if there is a color manager.
    func followOutputs() {
        guard let manager = colorManager?.pointer else { return }
        for output in outputs { output.follow(manager) }
    }

    private func add(_ name: UInt32, _ interface: String, _ version: UInt32) {
        func bind(_ highest: UInt32) -> OpaquePointer? {
            guard let registry = registry?.pointer, version > 0 else { return nil }
            return cwayland_bind(registry, name, interface, min(version, highest)).map(OpaquePointer.init)
        }
        switch interface {
        case "wl_compositor" where compositor == nil:
            compositorVersion = min(version, 4)
            compositor = Proxy(bind(4), destroyedBy: wl_compositor_destroy)
        case "wl_subcompositor" where subcompositor == nil:
            subcompositor = Proxy(bind(1), destroyedBy: wl_subcompositor_destroy)
        case "wl_shm" where shm == nil:
            shm = Proxy(bind(1), destroyedBy: wl_shm_destroy) { [weak self] opcode, arguments in
                if opcode == 0 { self?.addFormat(arguments.uint(0)) }
            }
        case "xdg_wm_base" where windowManager == nil:
            windowManager = Proxy(bind(2), destroyedBy: xdg_wm_base_destroy) { [weak self] opcode, arguments in
                if opcode == 0 { self?.windowManager?.send { xdg_wm_base_pong($0, arguments.uint(0)) } }
            }
        case "zxdg_decoration_manager_v1" where decorations == nil:
            decorations = Proxy(bind(1), destroyedBy: zxdg_decoration_manager_v1_destroy)
        case "wp_viewporter" where viewporter == nil:
            viewporter = Proxy(bind(1), destroyedBy: wp_viewporter_destroy)
        case "wp_presentation" where presentation == nil:
            presentation = Proxy(bind(1), destroyedBy: wp_presentation_destroy) { [weak self] opcode, arguments in
                if opcode == 0 { self?.presentationClock = Int32(bitPattern: arguments.uint(0)) }
            }
        case "wp_color_manager_v1" where colorManager == nil:
            features.version = min(version, 2)
            colorManager = Proxy(bind(2), destroyedBy: wp_color_manager_v1_destroy) { [weak self] opcode, arguments in
                self?.addColorFeature(opcode, arguments)
            }
        case "wl_seat" where wantsSeat && seat == nil:
            seatVersion = min(version, 5)
            seat = Proxy(bind(5), destroyedBy: seatVersion >= 5 ? wl_seat_release : wl_seat_destroy) {
                [weak self] opcode, arguments in
                guard let self, opcode == 0 else { return }
                seatCapabilities = arguments.uint(0)
                seatChanged?(arguments.uint(0))
            }
        case "wl_output":
            // A larger number of displays can only result from an error or an attack.
            guard outputs.count < 64, let pointer = bind(4) else { return }
            let output = Output(pointer, global: name, version: min(version, 4), onChange: onChange)
            outputs.append(output)
            if hasAllColorFeatures, let manager = colorManager?.pointer { output.follow(manager) }
        default: break
        }
    }

    /// The seat's capabilities, and the handler of changes.
    private(set) var seatCapabilities: UInt32?
    var seatChanged: ((UInt32) -> Void)?

    private func remove(_ name: UInt32) {
        guard let index = outputs.firstIndex(where: { $0.global == name }) else { return }
        let output = outputs.remove(at: index)
        outputRemoved?(output)
        output.destroy()
        onChange()
    }

    private func addColorFeature(_ opcode: UInt32, _ arguments: EventArguments) {
        // Every compositor's lists are short; further items are dropped.
        func insert(_ list: WritableKeyPath<ColorFeatures, Set<UInt32>>) {
            if features[keyPath: list].count < 64 { features[keyPath: list].insert(arguments.uint(0)) }
        }
        switch opcode {
        case 0: insert(\.intents)
        case 1: insert(\.features)
        case 2: insert(\.transfers)
        case 3: insert(\.primaries)
        case 4:
            hasAllColorFeatures = true
            followOutputs()
        default: break
        }
    }

    private func addFormat(_ code: UInt32) {
        guard let (format, isOpaque) = ShmFormat.format(code) else { return }
        features.formats.insert(format)
        if !isOpaque { alphaCodes[format] = code }
        // A format without alpha cannot become transparent.
        if isOpaque || formatCodes[format] == nil { formatCodes[format] = code }
    }
}

/// The format numbers of wl_shm: DRM's FourCCs, except for the two oldest.
enum ShmFormat {
    static let argb8888: UInt32 = 0
    static let xrgb8888: UInt32 = 1

    private static func fourCC(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    private static let table: [(code: UInt32, format: PictureFormat, isOpaque: Bool)] = [
        (fourCC("XB4H"), .rgba16f, true), (fourCC("AB4H"), .rgba16f, false),
        (fourCC("XB30"), .rgb10a2, true), (fourCC("AB30"), .rgb10a2, false),
        (fourCC("XR30"), .bgr10a2, true), (fourCC("AR30"), .bgr10a2, false),
        (fourCC("XB24"), .rgba8, true), (fourCC("AB24"), .rgba8, false),
        (xrgb8888, .bgra8, true), (argb8888, .bgra8, false),
    ]

    static func format(_ code: UInt32) -> (PictureFormat, isOpaque: Bool)? {
        table.first { $0.code == code }.map { ($0.format, $0.isOpaque) }
    }
}
