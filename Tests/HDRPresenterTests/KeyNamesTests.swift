import Testing

@testable import HDRPresenter

@Suite struct KeyNamesTests {
    @Test func keysAndButtonsHaveX11sNames() {
        #expect(KeyNames.name(1) == "Escape" && KeyNames.name(57) == "space" && KeyNames.name(28) == "Return")
        #expect(KeyNames.name(33) == "f" && KeyNames.name(50) == "m" && KeyNames.name(103) == "Up")
        #expect(KeyNames.name(106) == "Right" && KeyNames.name(111) == "Delete" && KeyNames.name(68) == "F10")
        #expect(KeyNames.name(53) == "slash" && KeyNames.name(82) == "KP_0" && KeyNames.name(55) == "KP_Multiply")
        #expect(KeyNames.name(0) == nil && KeyNames.name(.max) == nil)
        #expect(Seat.button(0x110) == 1 && Seat.button(0x111) == 3 && Seat.button(0x112) == 2)
        #expect(Seat.button(0x113) == 8 && Seat.button(.max) == nil)
    }
}
