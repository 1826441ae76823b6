import CXCB
import Glibc

/// The names of the keyboard's keys, by the first column of the server's table, which is for keys without Shift.
struct X11Keyboard {
    private var first = 0
    private var columns = 0
    private var keysyms: [xcb_keysym_t] = []

    init(_ connection: OpaquePointer) {
        guard let setup = xcb_get_setup(connection)?.pointee, setup.max_keycode >= setup.min_keycode else { return }
        first = Int(setup.min_keycode)
        let cookie = xcb_get_keyboard_mapping(
            connection, setup.min_keycode, UInt8(clamping: Int(setup.max_keycode) - Int(setup.min_keycode) + 1))
        guard let reply = xcb_get_keyboard_mapping_reply(connection, cookie, nil) else { return }
        defer { free(reply) }
        columns = Int(reply.pointee.keysyms_per_keycode)
        let count = Int(xcb_get_keyboard_mapping_keysyms_length(reply))
        keysyms = Array(UnsafeBufferPointer(start: xcb_get_keyboard_mapping_keysyms(reply), count: count))
    }

    /// The name of a key; `nil` for a key without a name.
    func name(of key: xcb_keycode_t) -> String? {
        let index = (Int(key) - first) * columns
        guard columns > 0, keysyms.indices.contains(index), keysyms[index] != 0 else { return nil }
        return X11KeysymNames.name(of: keysyms[index])
    }
}
