import CWayland
import Glibc

/// The background that the views lie on: a black window of the presenter's own, or a transparent pixel on an
/// application's surface.
final class Window {
    private enum SurfaceEvent { static let enter: UInt32 = 0, leave: UInt32 = 1 }
    private enum ToplevelEvent { static let configure: UInt32 = 0, close: UInt32 = 1 }

    private(set) var surface: Proxy?
    private let globals: Globals
    private var shell: Proxy?
    private var toplevel: Proxy?
    private var decoration: Proxy?
    private var subsurface: Proxy?
    private var viewport: Proxy?
    private var ground: Ground?

    let isOwn: Bool
    private let title: String
    /// The size in units of the surface.
    private(set) var width: Int
    private(set) var height: Int
    private var wanted: (width: Int, height: Int)
    private var pending: (width: Int, height: Int)?
    /// Pixels of the window per unit of the surface.
    private(set) var scale = 1
    /// Whether buffers may be attached.
    private(set) var isReady = false
    /// The wl_outputs that the window is on.
    private var entered: [OpaquePointer] = []

    var onConfigure: (() -> Void)?
    var onClose: (() -> Void)?
    var onOutput: (() -> Void)?

    /// - Parameters:
    ///   - parent: the application's wl_surface.
    ///   - size: the size in pixels.
    init?(_ globals: Globals, parent: OpaquePointer?, size: (width: Int, height: Int), title: String) {
        guard let compositor = globals.compositor?.pointer else { return nil }
        self.globals = globals
        self.title = Self.short(title)
        isOwn = parent == nil
        width = min(max(size.width, 1), 32_767)
        height = min(max(size.height, 1), 32_767)
        wanted = (width, height)
        surface = Proxy(wl_compositor_create_surface(compositor), destroyedBy: wl_surface_destroy) {
            [weak self] opcode, arguments in
            guard let self, let output = arguments.object(0) else { return }
            switch opcode {
            case SurfaceEvent.enter: if entered.count < 64 { entered.append(output) }
            case SurfaceEvent.leave: entered.removeAll { $0 == output }
            default: return
            }
            outputsChanged()
        }
        guard let pointer = surface?.pointer else { return nil }
        if let viewporter = globals.viewporter?.pointer {
            viewport = Proxy(wp_viewporter_get_viewport(viewporter, pointer), destroyedBy: wp_viewport_destroy)
        }
        if let parent {
            guard let subcompositor = globals.subcompositor?.pointer else { return nil }
            subsurface = Proxy(
                wl_subcompositor_get_subsurface(subcompositor, pointer, parent), destroyedBy: wl_subsurface_destroy)
            // Pictures do not wait for commits of the application.
            subsurface?.send { wl_subsurface_set_desync($0) }
            if let region = wl_compositor_create_region(compositor) {
                wl_surface_set_input_region(pointer, region)
                wl_region_destroy(region)
            }
            isReady = true
        }
    }

    /// The part of a title that fits into a message of 4096 bytes, without NUL.
    static func short(_ title: String) -> String {
        var bytes = 0
        let scalars = title.unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return scalar != "\0" && bytes <= 2048
        }
        return String(scalars)
    }

    func destroy() {
        ground?.destroy()
        for proxy in [viewport, decoration, toplevel, shell, subsurface, surface] { proxy?.destroy() }
    }

    /// Asks for the window; `onConfigure` is called when it may have a picture.
    func map() {
        guard isOwn, shell == nil, let surface = surface?.pointer, let manager = globals.windowManager?.pointer else {
            return
        }
        shell = Proxy(xdg_wm_base_get_xdg_surface(manager, surface), destroyedBy: xdg_surface_destroy) {
            [weak self] opcode, arguments in
            if opcode == 0 { self?.configured(serial: arguments.uint(0)) }
        }
        guard let shell = shell?.pointer else { return }
        toplevel = Proxy(xdg_surface_get_toplevel(shell), destroyedBy: xdg_toplevel_destroy) {
            [weak self] opcode, arguments in
            switch opcode {
            case ToplevelEvent.configure: self?.pending = (Int(arguments.int(0)), Int(arguments.int(1)))
            case ToplevelEvent.close: self?.onClose?()
            default: break
            }
        }
        guard let toplevel = toplevel?.pointer else { return }
        xdg_toplevel_set_title(toplevel, title)
        xdg_toplevel_set_app_id(toplevel, "org.gstreamer.edrsink")
        if let decorations = globals.decorations?.pointer {
            decoration = Proxy(
                zxdg_decoration_manager_v1_get_toplevel_decoration(decorations, toplevel),
                destroyedBy: zxdg_toplevel_decoration_v1_destroy)
            decoration?.send {
                zxdg_toplevel_decoration_v1_set_mode($0, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE.rawValue)
            }
        }
        wl_surface_commit(surface)
    }

    private func configured(serial: UInt32) {
        shell?.send { xdg_surface_ack_configure($0, serial) }
        // A size of 0 leaves the choice to the client.
        if let pending {
            width = pending.width > 0 ? min(pending.width, 32_767) : wanted.width
            height = pending.height > 0 ? min(pending.height, 32_767) : wanted.height
            wanted = (width, height)
            self.pending = nil
        }
        isReady = true
        onConfigure?()
    }

    /// Sets the background for the next commit of the window.
    func prepareGround() {
        guard let surface = surface?.pointer, let shm = globals.shm?.pointer else { return }
        // Without a viewport the buffer has to be as large as the window.
        let size = isOwn && viewport == nil ? (width, height) : (1, 1)
        if ground.map({ $0.width != size.0 || $0.height != size.1 }) ?? true {
            guard let new = Ground(width: size.0, height: size.1, isTransparent: !isOwn, shm: shm) else { return }
            let old = ground
            ground = new
            wl_surface_attach(surface, new.buffer.pointer, 0, 0)
            wl_surface_damage(surface, 0, 0, Int32(width), Int32(height))
            old?.destroy()
        }
        if isOwn { viewport?.send { wp_viewport_set_destination($0, Int32(width), Int32(height)) } }
    }

    func commit() {
        surface?.send { wl_surface_commit($0) }
    }

    func forget(_ output: Output) {
        guard let pointer = output.proxy?.pointer else { return }
        entered.removeAll { $0 == pointer }
        outputsChanged()
    }

    /// The display that the window is on: the last one that it entered.
    var output: Output? {
        guard let last = entered.last else { return globals.outputs.count == 1 ? globals.outputs.first : nil }
        return globals.outputs.first { $0.proxy?.pointer == last }
    }

    func outputsChanged() {
        // An application's surface has the application's units.
        if isOwn {
            let scales = globals.outputs.filter { $0.proxy?.pointer.map(entered.contains) ?? false }.map(\.scale)
            scale = viewport == nil ? 1 : scales.max() ?? scale
        }
        onOutput?()
    }
}

/// A buffer of one color that lies under the views.
private final class Ground {
    let width: Int
    let height: Int
    let buffer: Proxy

    init?(width: Int, height: Int, isTransparent: Bool, shm: OpaquePointer) {
        self.width = width
        self.height = height
        let size = width * height * 4
        guard size > 0, size <= Int(Int32.max) else { return nil }
        let file = cwayland_memory(Int64(size))
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let pool = wl_shm_create_pool(shm, file, Int32(size)) else { return nil }
        // New memory is zero: black in the format without alpha, transparent in the one with alpha.
        buffer = Proxy(
            wl_shm_pool_create_buffer(
                pool, 0, Int32(width), Int32(height), Int32(width * 4),
                isTransparent ? ShmFormat.argb8888 : ShmFormat.xrgb8888), destroyedBy: wl_buffer_destroy)
        wl_shm_pool_destroy(pool)
    }

    func destroy() { buffer.destroy() }
}
