import Glibc
import HDRExport
import HDRPipeline

/// Presets of the user's own, from a file with a line for each:
///
///     # for the web
///     web, preset=hevc-1920x1080, speed=slow, compression-properties=(structure)"c, average-bit-rate=6000000;"
///
/// A name that no other preset has, the preset that it is made of, the speed, and keys of AVVideoSettings, as GStreamer
/// writes structures.
struct UserPresets {
    struct Preset {
        let name: String
        /// The file and the line of the preset, for messages.
        let place: String
        /// One of `hdrmux-settings`.
        let base: String
        let speed: String?
        /// Keys of AVVideoSettings and their values, as launch lines have them with their types.
        let settings: [(key: String, value: String)]
    }

    /// The file of presets that is used without `--preset-file`.
    static var usualPlace: FileName? {
        if let folder = getenv("XDG_CONFIG_HOME"), folder.pointee != 0 {
            return FileName(folder).appending(FileName("hdr/presets"))
        }
        return getenv("HOME").map { FileName($0).appending(FileName(".config/hdr/presets")) }
    }

    let presets: [Preset]

    /// - Parameter file: that the user names; its absence is an error, that of the usual one is not.
    init(_ file: FileName?) throws {
        guard let place = file ?? Self.usualPlace, file != nil || place.kind == .file else {
            presets = []
            return
        }
        if file != nil { try InputCheck.check(place, "a file of presets") }
        var presets: [Preset] = []
        let text = String(decoding: try place.contents(upTo: 1 << 20, of: "file of presets"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let spot = "\(place.shown), line \(index + 1)"
            guard let structure = try? Structure(String(line)) else {
                throw Failure(
                    "\(spot) cannot be read: write it like \"web, preset=hevc-1920x1080, speed=slow\"")
            }
            if let other = presets.first(where: { $0.name == structure.name }) {
                throw Failure(
                    "\(spot): the preset \(structure.name) is there already, in \(other.place): name it otherwise")
            }
            guard (try? ExportPreset(named: structure.name)) == nil else {
                throw Failure("\(spot): hdr export has a preset \(structure.name) of its own: name yours otherwise")
            }
            let base = try Self.word("preset", of: structure, at: spot) ?? ExportOptions.defaultPreset
            do throws(UsageError) {
                _ = try ExportOptions.preset(base, own: [])
            } catch { throw Failure("\(spot): \(error.description)") }
            let speed = try Self.word("speed", of: structure, at: spot)
            do throws(UsageError) { try ExportOptions.check(speed: speed) } catch {
                throw Failure("\(spot): \(error.description)")
            }
            let settings = structure.fields.filter { !["preset", "speed"].contains($0) }
            presets.append(
                Preset(
                    name: structure.name, place: spot, base: base, speed: speed,
                    settings: settings.compactMap { key in structure.typed(key).map { (key, $0) } }))
        }
        self.presets = presets
    }

    /// A field that holds a word.
    private static func word(_ field: String, of line: Structure, at place: String) throws(Failure) -> String? {
        guard line.fields.contains(field) else { return nil }
        guard let text: String = line[field] else { throw Failure("\(place): \(field) has to be a word") }
        return text
    }

    subscript(name: String) -> Preset? { presets.first { $0.name == name } }
}
