import CWayland
import Glibc

/// Memory of one picture that the compositor sees too.
///
/// Each view has a wl_buffer of its own over the same memory: the protocol leaves it open when a buffer that several surfaces
/// show is released.
final class PictureMemory {
    let token: Int
    let format: PictureFormat
    let width: Int
    let height: Int
    let stride: Int
    let base: UnsafeMutableRawPointer
    private let size: Int
    private let code: UInt32
    private var pool: Proxy?
    private var buffers: [Proxy] = []
    private var held: [Bool] = []

    /// What it was given out for; `nil` while it is not with the sink.
    var acquired: PictureConfiguration?
    /// It waits for the compositor to want a picture.
    var isWaiting = false
    /// It is what the window shows, and is shown again with other views.
    var isShown = false
    /// Of another size or format than pictures have now.
    var isRetired = false
    /// Called when the compositor lets go of it.
    var onRelease: (() -> Void)?

    var isFree: Bool { acquired == nil && !isWaiting && !isShown && !held.contains(true) }

    init(
        _ picture: PictureDescription, code: UInt32, token: Int, shm: OpaquePointer
    ) throws(PresenterError) {
        guard let layout = Self.layout(picture) else {
            throw PresenterError("Pictures of \(picture.width) by \(picture.height) are too large for wl_shm.")
        }
        self.token = token
        self.code = code
        format = picture.format
        width = picture.width
        height = picture.height
        stride = layout.stride
        size = layout.size
        let file = cwayland_memory(Int64(size))
        guard file >= 0 else {
            throw PresenterError("There is no memory for a picture of \(size) bytes: \(systemError()).")
        }
        // libwayland has a duplicate of its own from the request on.
        defer { close(file) }
        guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED else {
            throw PresenterError("There is no memory for a picture of \(size) bytes: \(systemError()).")
        }
        self.base = base
        pool = Proxy(wl_shm_create_pool(shm, file, Int32(size)), destroyedBy: wl_shm_pool_destroy)
    }

    deinit {
        destroy()
        munmap(base, size)
    }

    /// The lines lie 64 bytes apart, for vector instructions. `nil` where the sizes do not fit the protocol's 31 bits.
    static func layout(_ picture: PictureDescription) -> (stride: Int, size: Int)? {
        guard (1...65_535).contains(picture.width), (1...65_535).contains(picture.height) else { return nil }
        let stride = (picture.width * picture.format.bytesPerPixel + 63) / 64 * 64
        let size = stride * picture.height
        return size <= Int(Int32.max) ? (stride, size) : nil
    }

    func fits(_ picture: PictureDescription) -> Bool {
        format == picture.format && width == picture.width && height == picture.height
    }

    /// The buffer of a view, which the compositor holds from now on.
    func attach(view index: Int) -> OpaquePointer? {
        while buffers.count <= index {
            guard let pool = pool?.pointer else { return nil }
            let index = buffers.count
            let buffer = wl_shm_pool_create_buffer(pool, 0, Int32(width), Int32(height), Int32(stride), code)
            held.append(false)
            buffers.append(
                Proxy(buffer, destroyedBy: wl_buffer_destroy) { [weak self] opcode, _ in
                    guard opcode == 0 else { return }
                    self?.released(index)
                })
        }
        held[index] = buffers[index].pointer != nil
        return buffers[index].pointer
    }

    private func released(_ index: Int) {
        guard held.indices.contains(index) else { return }
        held[index] = false
        onRelease?()
    }

    func destroy() {
        for buffer in buffers { buffer.destroy() }
        buffers = []
        held = []
        pool?.destroy()
        pool = nil
    }
}

/// Pictures of one description, and what the compositor was told of their colors.
final class PictureConfiguration {
    let picture: PictureDescription
    let colors: ImageDescription?
    /// The wp_image_description_v1; none for SDR.
    private let description: Proxy?

    var descriptionPointer: OpaquePointer? { description?.pointer }

    init(_ picture: PictureDescription, colors: ImageDescription?, description: Proxy?) {
        self.picture = picture
        self.colors = colors
        self.description = description
    }

    /// The same colors for another picture.
    init(_ picture: PictureDescription, like other: PictureConfiguration) {
        self.picture = picture
        colors = other.colors
        description = other.description
    }
}
