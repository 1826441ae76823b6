import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// The action signals.
extension HDRMuxSettings {
    /// The settings that the present preset and file type allow; the caller owns the structure.
    func supportedSettings() -> UnsafeMutablePointer<GstStructure>? {
        let settings = settings.current
        let preset = try? ExportPreset(named: settings.preset)
        return SettingStructure.make(
            "supported-settings", SettingsAssistant.supportedSettings(preset, fileType: settings.fileType))
    }

    /// The names of the presets that suit caps and the file type; the caller owns them.
    func compatiblePresets(_ caps: UnsafeMutablePointer<GstCaps>?) -> GStrv? {
        let names =
            caps.flatMap { SourceFormat($0) }.map {
                SettingsAssistant.compatiblePresets($0, fileType: settings.current.fileType).map(\.rawValue)
            } ?? []
        let size = MemoryLayout<UnsafeMutablePointer<gchar>?>.stride
        guard let memory = g_malloc0(gsize((names.count + 1) * size)) else { return nil }
        let list = memory.assumingMemoryBound(to: UnsafeMutablePointer<gchar>?.self)
        for (index, name) in names.enumerated() { list[index] = g_strdup(name) }
        return list
    }

    /// The settings that the present preset chooses for a source, or `nil` and a warning; the caller owns them.
    func settings(for caps: UnsafeMutablePointer<GstCaps>?) -> UnsafeMutablePointer<GstStructure>? {
        let settings = settings.current
        do {
            guard let caps, let source = SourceFormat(caps) else {
                warning("settings-for takes caps of video")
                return nil
            }
            let assistant = try SettingsAssistant(ExportPreset(named: settings.preset), fileType: settings.fileType)
            return SettingStructure.make("settings", try assistant.videoSettings(for: source).settings)
        } catch {
            warning("\(error)")
            return nil
        }
    }

    /// A GstEncodingContainerProfile for encodebin, GES and gst-transcoder, or `nil` and a warning; the caller owns it.
    func createEncodingProfile() -> gpointer? {
        do {
            return try EncodingProfile(settings.current).make()
        } catch {
            warning("\(error)")
            return nil
        }
    }
}
