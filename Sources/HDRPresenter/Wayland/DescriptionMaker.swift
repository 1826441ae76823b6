import CWayland
import HDRConcurrency

/// Makes an image description, and waits until the compositor accepts or refuses it.
///
/// It has its own event queue, so that it can wait on the thread that configures the presenter, even if that is the one
/// that dispatches all other events.
struct DescriptionMaker {
    let connection: Connection
    /// The object wp_color_manager_v1.
    let manager: OpaquePointer
    let features: ColorFeatures
    /// The time in ns within which the compositor must answer.
    var patience: UInt64 = 2 * MonotonicClock.second

    enum Failure: Error {
        /// The compositor does not accept the description, for the reason that it gave.
        case refused(String)
        case broken(PresenterError)
    }

    /// - Returns: the wp_image_description_v1, on the presenter's own queue and with no events left to come.
    func make(_ description: ImageDescription) throws(Failure) -> OpaquePointer {
        guard let queue = wl_display_create_queue(connection.display) else { throw .refused("out of memory") }
        defer { wl_event_queue_destroy(queue) }
        guard let wrapper = cwayland_wrap(UnsafeMutableRawPointer(manager), queue).map(OpaquePointer.init) else {
            throw .refused("out of memory")
        }
        let pointer = request(description, manager: wrapper)
        wl_proxy_wrapper_destroy(UnsafeMutableRawPointer(wrapper))
        guard let pointer else { throw .refused("out of memory") }

        var answer: String?
        var isReady = false
        let proxy = Proxy(pointer, destroyedBy: { _ in }) { opcode, arguments in
            if opcode == 0 {
                answer = "\(Self.cause(arguments.uint(0))): \(arguments.string(1))"
            } else {
                isReady = true
            }
        }
        defer { proxy.destroy() }
        do throws(PresenterError) {
            let isDone = try connection.wait(on: queue, deadline: MonotonicClock.now() + patience) {
                isReady || answer != nil
            }
            if !isDone { answer = "it did not answer within \(patience / MonotonicClock.second) seconds" }
        } catch {
            wp_image_description_v1_destroy(pointer)
            throw .broken(error)
        }
        if let answer {
            wp_image_description_v1_destroy(pointer)
            throw .refused(answer)
        }
        // Events that a compositor still sends for it go to the presenter's queue, where nothing handles them.
        wl_proxy_set_user_data(pointer, nil)
        wl_proxy_set_queue(pointer, connection.queue)
        return pointer
    }

    private func request(_ description: ImageDescription, manager: OpaquePointer) -> OpaquePointer? {
        if description.isWindowsScRGB { return wp_color_manager_v1_create_windows_scrgb(manager) }
        guard let creator = wp_color_manager_v1_create_parametric_creator(manager) else { return nil }
        wp_image_description_creator_params_v1_set_tf_named(creator, description.transfer.rawValue)
        let primaries = description.primaries
        if features.has(primaries.named) {
            wp_image_description_creator_params_v1_set_primaries_named(creator, primaries.named.rawValue)
        } else {
            let c = primaries.chromaticities
            wp_image_description_creator_params_v1_set_primaries(
                creator, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
        }
        if let range = description.luminances {
            wp_image_description_creator_params_v1_set_luminances(
                creator, range.minimum, range.maximum, description.reference)
        }
        if let range = description.mastering {
            wp_image_description_creator_params_v1_set_mastering_luminance(creator, range.minimum, range.maximum)
        }
        if let level = description.maxCLL { wp_image_description_creator_params_v1_set_max_cll(creator, level) }
        if let level = description.maxFALL { wp_image_description_creator_params_v1_set_max_fall(creator, level) }
        return wp_image_description_creator_params_v1_create(creator)
    }

    private static func cause(_ number: UInt32) -> String {
        switch number {
        case 0: "the interface's version is too low"
        case 1: "not supported"
        case 2: "an error of the operating system"
        case 3: "the output is gone"
        default: "cause \(number)"
        }
    }
}
