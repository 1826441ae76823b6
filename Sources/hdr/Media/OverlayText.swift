import HDRPipeline

extension Element {
    /// Sets what a `textoverlay` writes, in which it would read Pango's markup, and write nothing where that is wrong.
    func setOverlayText(_ text: String) throws {
        let plain = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        try set("text", to: plain)
    }
}
