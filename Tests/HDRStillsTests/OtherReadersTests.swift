import Foundation
import HDRMetadata
import HDRStills
import TestSupport
import Testing

/// The files as other readers read them. These come from PyPI: pypng, Pillow, imagecodecs, OpenEXR.
@Suite struct OtherReadersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ picture: PaddedImage, to name: String, compression: OpenEXRWriter.Compression = .zip) throws {
        try picture.withImage { image in
            image.masteringDisplay = PNGChunksTests.display
            image.contentLightLevel = ContentLightLevel(maximum: 1000, frameAverage: 250)
            image.pixelAspectRatio = StillImage.PixelAspectRatio(width: 4, height: 3) ?? .square
            image.referenceWhite = 203
            try StillFile.write(image, to: folder.path(name), compression: compression)
        }
    }

    private static let pictures: [PaddedImage] = StillImage.Layout.allCases.filter(\.isInteger).flatMap { layout in
        [(1, 1), (7, 5), (333, 41)].flatMap { width, height in
            PaddedImage.Content.allCases.map { PaddedImage(layout, width, height, padding: 10, content: $0) }
        }
    }

    @Test(.enabled(if: Python.hasPNG, "the Python module png (pypng) is not there"))
    func pypng() throws {
        let program = """
            import sys, array, png
            width, height, rows, info = png.Reader(filename=sys.argv[1]).read()
            depth = info['bitdepth']
            samples = array.array('H' if depth == 16 else 'B')
            for row in rows: samples.extend(row)
            open(sys.argv[2], 'wb').write(samples.tobytes())
            chunks = [(t.decode(), d.hex()) for t, d in png.Reader(filename=sys.argv[1]).chunks() if t != b'IDAT']
            print(width, height, info['planes'], depth, info['physical'].x, info['physical'].y)
            for type, data in chunks: print(type, data)
            """
        for picture in Self.pictures {
            try write(picture, to: "a.png")
            let lines = try Python.run(program, folder.path("a.png"), folder.path("raw")).split(separator: "\n")
            let planes = picture.layout == .rgb8 || picture.layout == .rgb16 ? 3 : 4
            let depth = picture.layout == .rgb8 || picture.layout == .rgba8 ? 8 : 16
            #expect(lines.first.map(String.init) == "\(picture.width) \(picture.height) \(planes) \(depth) 3 4")
            #expect(try firstDifference([UInt8](folder.data("raw")), picture.samples()) == nil)
            let display = "8a483908" + "21349baa" + "199608fc" + "3d134042" + "02625a00" + "00000005"
            #expect(lines.contains("cICP 09100001"))
            #expect(lines.contains("mDCV \(display)"))
            #expect(lines.contains("cLLI 00989680002625a0"))
            #expect(lines.last == "IEND " || lines.last == "IEND")
        }
    }

    @Test(.enabled(if: Python.hasCodecs, "the Python modules imagecodecs and numpy are not there"))
    func imagecodecs() throws {
        let program = """
            import sys, imagecodecs
            samples = imagecodecs.png_decode(open(sys.argv[1], 'rb').read())
            open(sys.argv[2], 'wb').write(samples.astype(samples.dtype.newbyteorder('<')).tobytes())
            print(*samples.shape)
            """
        for picture in Self.pictures {
            try write(picture, to: "a.png")
            try Python.run(program, folder.path("a.png"), folder.path("raw"))
            #expect(try firstDifference([UInt8](folder.data("raw")), picture.samples()) == nil)
        }
    }

    @Test(.enabled(if: Python.hasPillow, "the Python module PIL (Pillow) is not there"))
    func pillow() throws {
        let program = """
            import sys, PIL.Image
            PIL.Image.open(sys.argv[1]).verify()
            image = PIL.Image.open(sys.argv[1])
            open(sys.argv[2], 'wb').write(image.tobytes())
            print(image.mode, image.info['Software'], image.info['aspect'])
            """
        for picture in Self.pictures where picture.layout == .rgb8 || picture.layout == .rgba8 {
            try write(picture, to: "a.png")
            let mode = picture.layout == .rgb8 ? "RGB" : "RGBA"
            #expect(try Python.run(program, folder.path("a.png"), folder.path("raw")) == "\(mode) gst-hdr (3, 4)\n")
            #expect(try firstDifference([UInt8](folder.data("raw")), picture.samples()) == nil)
        }
    }

    @Test(
        .enabled(if: Python.hasOpenEXR, "the Python modules OpenEXR and numpy are not there"),
        arguments: OpenEXRWriter.Compression.allCases)
    func openEXR(compression: OpenEXRWriter.Compression) throws {
        let program = """
            import sys, numpy, OpenEXR
            file = OpenEXR.File(sys.argv[1], separate_channels=True)
            header, channels = file.header(), file.channels()
            planes = [channels[name].pixels for name in 'RGBA']
            assert all(plane.dtype == numpy.float16 for plane in planes)
            open(sys.argv[2], 'wb').write(numpy.stack(planes, axis=-1).astype('<f2').tobytes())
            names = {OpenEXR.NO_COMPRESSION: 'none', OpenEXR.ZIP_COMPRESSION: 'zip'}
            print(names[header['compression']], header['type'] == OpenEXR.scanlineimage)
            print(header['lineOrder'] == OpenEXR.INCREASING_Y, *header['dataWindow'][1], *header['displayWindow'][0])
            numbers = (round(float(header[name]), 6) for name in ('pixelAspectRatio', 'whiteLuminance'))
            print(header['software'], *numbers)
            print(*(round(float(value), 6) for value in header['chromaticities']))
            """
        var pictures = [(1, 1), (7, 5), (33, 16), (130, 47)].flatMap { width, height in
            PaddedImage.Content.allCases.map { PaddedImage(.rgbaHalf, width, height, padding: 8, content: $0) }
        }
        pictures.append(PaddedImage(halves: Array(UInt16.min ... .max), width: 128))
        for picture in pictures {
            try write(picture, to: "a.exr", compression: compression)
            let text = try Python.run(program, folder.path("a.exr"), folder.path("raw"))
            #expect(
                text == """
                    \(compression) True
                    True \(picture.width - 1) \(picture.height - 1) 0 0
                    gst-hdr 1.333333 203.0
                    0.708 0.292 0.17 0.797 0.131 0.046 0.3127 0.329

                    """)
            #expect(try firstDifference([UInt8](folder.data("raw")), picture.samples()) == nil)
        }
    }

    @Test(.enabled(if: Python.hasOpenEXR, "the Python modules OpenEXR and numpy are not there"))
    func floatsAreRoundedAsNumpyDoes() throws {
        var random = SeededGenerator(seed: 9)
        var floats = (0..<4 * 64 * 64).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
        floats += (0..<4 * 64 * 64).map { _ in Float.random(in: -1e-4...1e-4, using: &random) }
        floats += (0..<4 * 64 * 64).map { _ in Float.random(in: -70000...70000, using: &random) }
        let picture = PaddedImage(floats: floats, width: 64)
        try write(picture, to: "a.exr")
        try Data(picture.samples()).write(to: URL(fileURLWithPath: folder.path("floats")))
        try Python.run(
            """
            import sys, numpy, OpenEXR
            channels = OpenEXR.File(sys.argv[1], separate_channels=True).channels()
            found = numpy.stack([channels[name].pixels for name in 'RGBA'], axis=-1).ravel()
            with numpy.errstate(all='ignore'):
                expected = numpy.fromfile(sys.argv[2], '<f4').astype(numpy.float16)
            nan = numpy.isnan(expected)
            assert (numpy.isnan(found) == nan).all()
            assert (found.view('u2')[~nan] == expected.view('u2')[~nan]).all()
            """, folder.path("a.exr"), folder.path("floats"))
    }
}
