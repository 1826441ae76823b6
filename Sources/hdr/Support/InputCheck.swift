import Glibc
import HDRPipeline

/// Checks an input's name before any work, because a wrong name is a better reason than anything about the output.
enum InputCheck {
    /// The text behind a file's name in the error for addresses.
    static let isAddress = "is an address: save it as a file first; hdr play plays addresses"

    static let hasNoName = "an input has no name, it is an empty word: name a file"

    static func isMissing(_ file: FileName) -> String {
        "there is no file \(file.shown): check the spelling and the folder"
    }

    /// - Parameters:
    ///   - kind: what the file should be.
    ///   - remedy: of a file that is empty.
    static func check(
        _ file: FileName, _ kind: String = "a video file", whereEmpty remedy: String = "copy it again from its origin"
    ) throws(Failure) {
        guard !file.bytes.isEmpty else { throw Failure(hasNoName) }
        var status = stat()
        guard file.withPointer({ stat($0, &status) }) == 0 else {
            switch errno {
            case EACCES: throw Failure("\(file.shown) may not be read by you: change its permissions (chmod +r)")
            default:
                if file.isAddress { throw Failure("\(file.shown) \(isAddress)") }
                throw Failure(isMissing(file))
            }
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Failure("\(file.shown) is a folder: give the name of \(kind)")
        default: throw Failure("\(file.shown) is not a regular file: save it as a file first")
        }
        guard status.st_size > 0 else { throw Failure("\(file.shown) is empty: \(remedy)") }
        guard file.withPointer({ access($0, R_OK) }) == 0 else {
            throw Failure("\(file.shown) may not be read by you: change its permissions (chmod +r)")
        }
    }
}
