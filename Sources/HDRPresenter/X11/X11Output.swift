import CXCB
import Glibc

/// The monitor that shows the middle of the window.
struct X11Output: Equatable {
    /// RandR's name, such as `DP-1`.
    var name = ""
    /// The refresh interval in nanoseconds; 0 where it is unknown.
    var refreshInterval: UInt64 = 0

    /// The monitor that shows the middle of the window, or the first monitor if none does.
    /// - Parameter root: the screen's root window.
    static func current(_ connection: OpaquePointer, root: xcb_window_t, window: X11Window) -> X11Output {
        let reply = xcb_randr_get_screen_resources_current_reply(
            connection, xcb_randr_get_screen_resources_current(connection, root), nil)
        guard let reply else { return X11Output() }
        defer { free(reply) }
        let middle = position(connection, root: root, window: window)

        var found: (output: xcb_randr_output_t, mode: xcb_randr_mode_t, holdsMiddle: Bool)?
        let count = Int(xcb_randr_get_screen_resources_current_crtcs_length(reply))
        let crtcs = UnsafeBufferPointer(start: xcb_randr_get_screen_resources_current_crtcs(reply), count: count)
        let time = reply.pointee.config_timestamp
        let cookies = crtcs.map { xcb_randr_get_crtc_info(connection, $0, time) }
        for cookie in cookies {
            guard let info = xcb_randr_get_crtc_info_reply(connection, cookie, nil) else { continue }
            defer { free(info) }
            guard
                info.pointee.mode != 0, xcb_randr_get_crtc_info_outputs_length(info) > 0,
                let outputs = xcb_randr_get_crtc_info_outputs(info)
            else { continue }
            let (left, top) = (Int(info.pointee.x), Int(info.pointee.y))
            let holdsMiddle =
                middle.map {
                    $0.x >= left && $0.x < left + Int(info.pointee.width) && $0.y >= top
                        && $0.y < top + Int(info.pointee.height)
                } ?? false
            if found == nil || (holdsMiddle && found?.holdsMiddle == false) {
                found = (outputs[0], info.pointee.mode, holdsMiddle)
            }
        }
        guard let found else { return X11Output() }

        var answer = X11Output()
        let modes = UnsafeBufferPointer(
            start: xcb_randr_get_screen_resources_current_modes(reply),
            count: Int(xcb_randr_get_screen_resources_current_modes_length(reply)))
        if let mode = modes.first(where: { $0.id == found.mode }) { answer.refreshInterval = interval(mode) }
        let info = xcb_randr_get_output_info_reply(
            connection, xcb_randr_get_output_info(connection, found.output, time), nil)
        if let info {
            let name = UnsafeBufferPointer(
                start: xcb_randr_get_output_info_name(info), count: Int(xcb_randr_get_output_info_name_length(info)))
            answer.name = String(decoding: name, as: UTF8.self)
            free(info)
        }
        return answer
    }

    static func interval(_ mode: xcb_randr_mode_info_t) -> UInt64 {
        guard mode.dot_clock > 0 else { return 0 }
        var lines = Double(mode.vtotal)
        if mode.mode_flags & XCB_RANDR_MODE_FLAG_DOUBLE_SCAN.rawValue != 0 { lines *= 2 }
        if mode.mode_flags & XCB_RANDR_MODE_FLAG_INTERLACE.rawValue != 0 { lines /= 2 }
        return UInt64(Double(mode.htotal) * lines / Double(mode.dot_clock) * 1e9)
    }

    private static func position(
        _ connection: OpaquePointer, root: xcb_window_t, window: X11Window
    ) -> (x: Int, y: Int)? {
        let cookie = xcb_translate_coordinates(
            connection, window.id, root, Int16(clamping: window.width / 2), Int16(clamping: window.height / 2))
        guard let reply = xcb_translate_coordinates_reply(connection, cookie, nil) else { return nil }
        defer { free(reply) }
        return (Int(reply.pointee.dst_x), Int(reply.pointee.dst_y))
    }
}
