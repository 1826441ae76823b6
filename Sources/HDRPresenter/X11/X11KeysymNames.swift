/// The names of X keysyms as in X11/keysymdef.h, without `XK_`: those of Latin-1, of keys that produce no character,
/// and of multimedia keys.
enum X11KeysymNames {
    static func name(of keysym: UInt32) -> String {
        if let name = names[keysym] { return name }
        switch keysym {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a:
            return String(decoding: [UInt8(truncatingIfNeeded: keysym)], as: UTF8.self)
        case 0xffbe...0xffe0: return "F\(keysym - 0xffbd)"
        case 0xffb0...0xffb9: return "KP_\(keysym - 0xffb0)"
        case 0x0100_0100...0x0110_ffff:
            let digits = String(keysym & 0xff_ffff, radix: 16, uppercase: true)
            return "U" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        default: return "0x" + String(keysym, radix: 16)
        }
    }

    /// Runs of names, with the keysym of the first one.
    private static let runs: [(UInt32, String)] = [
        (
            0x20,
            """
            space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus \
            comma minus period slash
            """
        ),
        (0x3a, "colon semicolon less equal greater question at"),
        (0x5b, "bracketleft backslash bracketright asciicircum underscore grave"),
        (0x7b, "braceleft bar braceright asciitilde"),
        (
            0xa0,
            """
            nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright ordfeminine \
            guillemotleft notsign hyphen registered macron degree plusminus twosuperior threesuperior acute mu \
            paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf threequarters \
            questiondown
            """
        ),
        (
            0xc0,
            """
            Agrave Aacute Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis Igrave \
            Iacute Icircumflex Idiaeresis ETH Ntilde Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash \
            Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN ssharp agrave aacute acircumflex atilde adiaeresis aring \
            ae ccedilla egrave eacute ecircumflex ediaeresis igrave iacute icircumflex idiaeresis eth ntilde ograve \
            oacute ocircumflex otilde odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn \
            ydiaeresis
            """
        ),
        (
            0xfe50,
            "dead_grave dead_acute dead_circumflex dead_tilde dead_macron dead_breve dead_abovedot dead_diaeresis"
        ),
        (0xff08, "BackSpace Tab Linefeed Clear"),
        (0xff13, "Pause Scroll_Lock Sys_Req"),
        (0xff50, "Home Left Up Right Down Prior Next End Begin"),
        (0xff60, "Select Print Execute Insert"),
        (0xff65, "Undo Redo Menu Find Cancel Help Break"),
        (0xff95, "KP_Home KP_Left KP_Up KP_Right KP_Down KP_Prior KP_Next KP_End KP_Begin KP_Insert KP_Delete"),
        (0xffaa, "KP_Multiply KP_Add KP_Separator KP_Subtract KP_Decimal KP_Divide"),
        (
            0xffe1,
            """
            Shift_L Shift_R Control_L Control_R Caps_Lock Shift_Lock Meta_L Meta_R Alt_L Alt_R Super_L Super_R Hyper_L \
            Hyper_R
            """
        ),
        (
            0x1008_ff11,
            """
            XF86AudioLowerVolume XF86AudioMute XF86AudioRaiseVolume XF86AudioPlay XF86AudioStop XF86AudioPrev \
            XF86AudioNext
            """
        ),
        (0xfe03, "ISO_Level3_Shift"), (0xfe20, "ISO_Left_Tab"), (0xff0d, "Return"), (0xff1b, "Escape"),
        (0xff20, "Multi_key"), (0xff7e, "Mode_switch"), (0xff7f, "Num_Lock"), (0xff80, "KP_Space"), (0xff89, "KP_Tab"),
        (0xff8d, "KP_Enter"), (0xffbd, "KP_Equal"), (0xffff, "Delete"), (0x1008_ff31, "XF86AudioPause"),
        (0x1008_ff3e, "XF86AudioRewind"), (0x1008_ff97, "XF86AudioForward"), (0x20ac, "EuroSign"),
    ]

    private static let names: [UInt32: String] = {
        var names: [UInt32: String] = [:]
        for (first, run) in runs {
            var keysym = first
            for name in run.split(separator: " ") {
                names[keysym] = String(name)
                keysym += 1
            }
        }
        return names
    }()
}
