import CWayland

/// The arguments of an event, by position.
struct EventArguments {
    let base: UnsafePointer<wl_argument>

    func uint(_ index: Int) -> UInt32 { base[index].u }
    func int(_ index: Int) -> Int32 { base[index].i }
    /// A 24.8 fixed point number.
    func fixed(_ index: Int) -> Double { Double(base[index].f) / 256 }
    func string(_ index: Int) -> String { base[index].s.map { String(cString: $0) } ?? "" }
    /// An object argument; `nil` for an object that no longer exists.
    func object(_ index: Int) -> OpaquePointer? { base[index].o }
    /// A 64-bit number in two arguments.
    func wide(high: Int, low: Int) -> UInt64 { UInt64(base[high].u) << 32 | UInt64(base[low].u) }
}

/// A protocol object of the presenter's, and the handler of its events.
///
/// Events are dispatched and objects destroyed by one thread at a time: under the presenter's lock, or on a queue that
/// only one thread uses. So no event can reach an object that is destroyed.
final class Proxy {
    typealias Handler = (_ opcode: UInt32, _ arguments: EventArguments) -> Void

    private(set) var pointer: OpaquePointer?
    private let destructor: (OpaquePointer) -> Void
    private let handler: Handler?

    /// - Parameters:
    ///   - pointer: the result of a request; `nil` if there was no memory, which makes a proxy that does nothing.
    ///   - destructor: the request that destroys the object.
    init(
        _ pointer: OpaquePointer?, destroyedBy destructor: @escaping (OpaquePointer) -> Void,
        onEvent handler: Handler? = nil
    ) {
        self.pointer = pointer
        self.destructor = destructor
        self.handler = handler
        guard let pointer, handler != nil else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = cwayland_listen(
            pointer,
            { context, opcode, arguments in
                guard let context, let arguments else { return }
                // The reference is held for the call, because the handler may drop the last one.
                let proxy = Unmanaged<Proxy>.fromOpaque(context).takeUnretainedValue()
                proxy.handler?(opcode, EventArguments(base: arguments))
            }, context)
    }

    deinit { destroy() }

    func destroy() {
        guard let pointer else { return }
        self.pointer = nil
        destructor(pointer)
    }

    /// Calls `request` with the object, unless that is destroyed.
    func send(_ request: (OpaquePointer) -> Void) {
        if let pointer { request(pointer) }
    }
}
