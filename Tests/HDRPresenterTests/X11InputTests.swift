import CXCB
import Foundation
import TestSupport
import Testing

@testable import HDRPresenter

extension X11Tests {
    /// The user's input in a window.
    @Suite struct Input {
        @Test func input() throws {
            let server = try XServer()
            let (stage, client, window) = try X11Stage.shown(on: server)
            defer { stage.presenter.close() }
            var button = xcb_button_press_event_t()
            button.event = window
            button.root = client.root
            (button.event_x, button.event_y) = (12, 34)
            for (type, detail) in [(XCB_BUTTON_PRESS, 1), (XCB_BUTTON_RELEASE, 1), (XCB_BUTTON_PRESS, 4)] {
                button.response_type = UInt8(type)
                button.detail = UInt8(detail)
                client.send(button, to: window)
            }
            button.response_type = UInt8(XCB_MOTION_NOTIFY)
            button.detail = 0
            client.send(button, to: window)
            // The usual keyboard's keys.
            for key in [65, 38, 113, 9, 67, 51, 122] as [UInt8] {
                button.response_type = UInt8(XCB_KEY_PRESS)
                button.detail = key
                client.send(button, to: window)
            }
            button.response_type = UInt8(XCB_KEY_RELEASE)
            button.detail = 65
            client.send(button, to: window)
            let wanted: [PresenterInput] = [
                .buttonPressed(1, x: 12, y: 34), .buttonReleased(1, x: 12, y: 34),
                .scrolled(dx: 0, dy: 1, x: 12, y: 34),
                .pointerMoved(x: 12, y: 34), .keyPressed("space"), .keyPressed("a"), .keyPressed("Left"),
                .keyPressed("Escape"), .keyPressed("F1"), .keyPressed("backslash"), .keyPressed("XF86AudioLowerVolume"),
                .keyReleased("space"),
            ]
            _ = stage.recorder.waits { $0.contains(.input(.keyReleased("space"))) }
            #expect(stage.recorder.inputs == wanted)
        }

        @Test func keysymNames() {
            let names: [UInt32: String] = [
                0x20: "space", 0x41: "A", 0x7a: "z", 0x7e: "asciitilde", 0xff: "ydiaeresis", 0xdf: "ssharp",
                0xbf: "questiondown",
                0xffc9: "F12", 0xffb5: "KP_5", 0xff56: "Next", 0xffee: "Hyper_R", 0x1000416: "U0416",
                0x1008ff17: "XF86AudioNext",
                0x12345678: "0x12345678",
            ]
            for (keysym, name) in names { #expect(X11KeysymNames.name(of: keysym) == name) }
        }
    }
}
