import CWayland

/// The surface of one view: a sub-surface of the window's surface, which is committed together with it.
final class ViewSurface {
    let surface: Proxy
    private let subsurface: Proxy
    private let viewport: Proxy?
    private let damagesBuffer: Bool
    private var color: Proxy?

    private var placement: Placement?
    private var configuration: PictureConfiguration?
    private(set) var isVisible = false
    private let masked = MaskedView()
    /// The place of the view on the surface, where the view is not opaque.
    private(set) var maskedPlace: MaskedView.Place?

    init?(_ globals: Globals, parent: OpaquePointer) {
        guard let compositor = globals.compositor?.pointer, let subcompositor = globals.subcompositor?.pointer,
            let pointer = wl_compositor_create_surface(compositor)
        else { return nil }
        surface = Proxy(pointer, destroyedBy: wl_surface_destroy)
        subsurface = Proxy(
            wl_subcompositor_get_subsurface(subcompositor, pointer, parent), destroyedBy: wl_subsurface_destroy)
        viewport = globals.viewporter?.pointer.map {
            Proxy(wp_viewporter_get_viewport($0, pointer), destroyedBy: wp_viewport_destroy)
        }
        damagesBuffer = globals.compositorVersion >= 4
        // The pointer's events go to the window, not to the view.
        guard let region = wl_compositor_create_region(compositor) else { return }
        wl_surface_set_input_region(pointer, region)
        wl_region_destroy(region)
    }

    func destroy() {
        masked.destroy()
        color?.destroy()
        viewport?.destroy()
        subsurface.destroy()
        surface.destroy()
    }

    /// Sets the state for the next commit, which the caller makes, for a view that is not opaque.
    /// - Parameter isNew: whether the picture differs from the last one.
    func show(
        _ place: MaskedView.Place, of memory: PictureMemory, _ configuration: PictureConfiguration, isNew: Bool,
        _ globals: Globals
    ) {
        guard isNew || maskedPlace != place else { return }
        // If no memory is free, the view is late by a picture.
        guard let painted = masked.paint(place, of: memory, configuration, globals) else { return }
        var whole = place.placement
        (whole.sourceX, whole.sourceY) = (0, 0)
        (whole.sourceWidth, whole.sourceHeight) = (Int32(painted.width) << 8, Int32(painted.height) << 8)
        show(painted.attach(view: 0), of: painted, at: whole)
        maskedPlace = place
    }

    /// Sets the state for the next commit, which the caller makes.
    func show(_ buffer: OpaquePointer?, of memory: PictureMemory, at new: Placement) {
        guard let pointer = surface.pointer else { return }
        if placement.map({ $0.x != new.x || $0.y != new.y }) ?? true {
            subsurface.send { wl_subsurface_set_position($0, new.x, new.y) }
        }
        if placement != new {
            viewport?.send {
                wp_viewport_set_source($0, new.sourceX, new.sourceY, new.sourceWidth, new.sourceHeight)
                wp_viewport_set_destination($0, new.width, new.height)
            }
        }
        placement = new
        guard let buffer else { return }
        maskedPlace = nil
        wl_surface_attach(pointer, buffer, 0, 0)
        if damagesBuffer {
            wl_surface_damage_buffer(pointer, 0, 0, Int32(memory.width), Int32(memory.height))
        } else {
            wl_surface_damage(pointer, 0, 0, max(new.width, Int32(memory.width)), max(new.height, Int32(memory.height)))
        }
        isVisible = true
    }

    /// Sets or removes the description of the buffer's colors.
    func setColors(_ new: PictureConfiguration, manager: OpaquePointer?) {
        guard configuration !== new, let pointer = surface.pointer else { return }
        defer { configuration = new }
        guard let description = new.descriptionPointer else {
            color?.send { wp_color_management_surface_v1_unset_image_description($0) }
            return
        }
        guard configuration?.descriptionPointer != description, let manager else { return }
        if color == nil {
            color = Proxy(
                wp_color_manager_v1_get_surface(manager, pointer), destroyedBy: wp_color_management_surface_v1_destroy)
        }
        // Every compositor has the perceptual intent, number 0.
        color?.send { wp_color_management_surface_v1_set_image_description($0, description, 0) }
    }

    func hide() {
        guard isVisible, let pointer = surface.pointer else { return }
        isVisible = false
        maskedPlace = nil
        wl_surface_attach(pointer, nil, 0, 0)
        wl_surface_commit(pointer)
    }
}
