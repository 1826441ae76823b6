/// X keysym names for evdev key codes (linux/input-event-codes.h), in the layout of a US keyboard.
///
/// A table replaces libxkbcommon, because navigation needs only a few keys and no text input.
enum KeyNames {
    /// The name of a key; `nil` for keys that are not listed here.
    static func name(_ code: UInt32) -> String? {
        if let index = rows.firstIndex(where: { code >= $0.first && code < $0.first + UInt32($0.names.count) }) {
            return rows[index].names[Int(code - rows[index].first)]
        }
        return others[code]
    }

    private static let rows: [(first: UInt32, names: [String])] = [
        (1, ["Escape", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "minus", "equal", "BackSpace", "Tab"]),
        (16, ["q", "w", "e", "r", "t", "y", "u", "i", "o", "p", "bracketleft", "bracketright", "Return", "Control_L"]),
        (
            30,
            ["a", "s", "d", "f", "g", "h", "j", "k", "l", "semicolon", "apostrophe", "grave", "Shift_L", "backslash"]
        ),
        (
            44,
            ["z", "x", "c", "v", "b", "n", "m", "comma", "period", "slash", "Shift_R", "KP_Multiply", "Alt_L", "space"]
        ),
        (58, ["Caps_Lock", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "Num_Lock", "Scroll_Lock"]),
        (
            71,
            ["KP_7", "KP_8", "KP_9", "KP_Subtract", "KP_4", "KP_5", "KP_6", "KP_Add", "KP_1", "KP_2", "KP_3", "KP_0"]
        ),
        (102, ["Home", "Up", "Prior", "Left", "Right", "End", "Down", "Next", "Insert", "Delete"]),
    ]

    private static let others: [UInt32: String] = [
        83: "KP_Decimal", 86: "less", 87: "F11", 88: "F12", 96: "KP_Enter", 97: "Control_R", 98: "KP_Divide",
        99: "Print",
        100: "Alt_R", 113: "XF86AudioMute", 114: "XF86AudioLowerVolume", 115: "XF86AudioRaiseVolume", 119: "Pause",
        125: "Super_L", 126: "Super_R", 127: "Menu", 128: "XF86Stop", 163: "XF86AudioNext", 164: "XF86AudioPlay",
        165: "XF86AudioPrev", 166: "XF86AudioStop", 168: "XF86AudioRewind", 208: "XF86AudioForward",
    ]
}
