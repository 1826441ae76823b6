import Foundation
import Testing
import TestSupport

/// Orientation tags, subtitles and views of `edrsink`.
@Suite struct EDRSinkLayoutTests {
    @Test(arguments: ["orientations", "turning", "cropped"]) func picturesTurn(_ check: String) throws {
        try EDRSinkProgram.check("layout", check)
    }

    @Test(arguments: ["subtitles", "blending", "colored", "edges", "negotiated"]) func overlays(_ check: String) throws
    {
        try EDRSinkProgram.check("layout", check)
    }

    @Test func viewsOffscreen() throws {
        try EDRSinkProgram.check("layout", "offscreen-views")
    }
}
