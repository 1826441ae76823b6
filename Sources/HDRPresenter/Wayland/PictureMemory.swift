import CWayland
import Glibc

/// The memory of one picture, which is shared with the compositor.
///
/// Each view has its own wl_buffer for the same memory: the protocol does not specify when a buffer that several
/// surfaces show is released.
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

    /// The configuration that it was acquired with; `nil` while the sink does not have it.
    var acquired: PictureConfiguration?
    /// Whether it waits until the compositor wants a picture.
    var isWaiting = false
    /// Whether the window shows it; it can be shown again with other views.
    var isShown = false
    /// Whether pictures now have another size or format.
    var isRetired = false
    /// Called when the compositor has released it.
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
            throw PresenterError("Out of memory for a picture of \(size) bytes: \(systemError()).")
        }
        // The request duplicates the descriptor.
        defer { close(file) }
        guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED else {
            throw PresenterError("Out of memory for a picture of \(size) bytes: \(systemError()).")
        }
        self.base = base
        pool = Proxy(wl_shm_create_pool(shm, file, Int32(size)), destroyedBy: wl_shm_pool_destroy)
    }

    deinit {
        destroy()
        munmap(base, size)
    }

    /// Rows start at multiples of 64 bytes, for vector instructions. `nil` if the size does not fit into the protocol's
    /// 31 bits.
    static func layout(_ picture: PictureDescription) -> (stride: Int, size: Int)? {
        guard (1...65_535).contains(picture.width), (1...65_535).contains(picture.height) else { return nil }
        let stride = (picture.width * picture.format.bytesPerPixel + 63) / 64 * 64
        let size = stride * picture.height
        return size <= Int(Int32.max) ? (stride, size) : nil
    }

    func fits(_ picture: PictureDescription) -> Bool {
        format == picture.format && width == picture.width && height == picture.height
    }

    /// The buffer of a view, which the compositor holds until it releases it.
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

/// A description of pictures, with the compositor's object for their colors.
final class PictureConfiguration {
    let picture: PictureDescription
    let colors: ImageDescription?
    /// The wp_image_description_v1; `nil` for SDR.
    private let description: Proxy?

    var descriptionPointer: OpaquePointer? { description?.pointer }

    init(_ picture: PictureDescription, colors: ImageDescription?, description: Proxy?) {
        self.picture = picture
        self.colors = colors
        self.description = description
    }

    /// The colors of another configuration for a picture.
    init(_ picture: PictureDescription, like other: PictureConfiguration) {
        self.picture = picture
        colors = other.colors
        description = other.description
    }
}
