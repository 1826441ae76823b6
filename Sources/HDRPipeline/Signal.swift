import CGStreamer

/// The arguments of a signal, without the emitting object. Valid during the call.
public struct SignalArguments {
    let values: UnsafeBufferPointer<GValue>

    /// The number of arguments.
    public var count: Int { max(0, values.count - 1) }

    /// The argument with an index; `nil` where there is none of that type.
    public subscript<T: Value>(index: Int, as type: T.Type = T.self) -> T? {
        guard (0..<count).contains(index), let base = values.baseAddress else { return nil }
        return T.read(base + index + 1)
    }
}

/// Keeps a signal handler connected for the lifetime of this object.
public final class SignalConnection: Sendable {
    private let element: Element
    private let number: gulong

    /// The handler, with the GValue for the answer where the signal has one.
    typealias Body = @Sendable (SignalArguments, UnsafeMutablePointer<GValue>?) -> Void

    /// The object that the GClosure owns.
    private final class Handler: Sendable {
        let body: Body
        init(_ body: @escaping Body) { self.body = body }
    }

    init(_ element: Element, _ signal: String, _ body: @escaping Body) {
        self.element = element
        let data = Unmanaged.passRetained(Handler(body)).toOpaque()
        guard let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data) else {
            Unmanaged<Handler>.fromOpaque(data).release()
            number = 0
            return
        }
        g_closure_set_marshal(closure) { closure, answer, count, values, _, _ in
            guard let data = closure?.pointee.data else { return }
            let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
            handler.body(SignalArguments(values: UnsafeBufferPointer(start: values, count: Int(count))), answer)
        }
        g_closure_add_finalize_notifier(closure, data) { data, _ in
            data.map { Unmanaged<Handler>.fromOpaque($0).release() }
        }
        number = g_signal_connect_closure(element.object, signal, closure, 0)
    }

    deinit { if number != 0 { g_signal_handler_disconnect(element.object, number) } }
}
