import CMicroHTTPD
import CabinetServer
import Foundation
import Synchronization

/// A thread of libmicrohttpd and the connections that it serves.
final class Daemon: Sendable {
    let core: ListenerCore
    let isSecure: Bool
    let memory: ConnectionMemory
    /// The connections that were given to the thread and are not closed yet.
    let connectionCount = Atomic(0)
    private let retired = Atomic(false)
    private let counters = Mutex(HTTPCounters())
    private let handle = Mutex<MicroHTTPDHandle?>(nil)

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - core: The listener, which refers to the thread until it has ended.
    ///   - certificate: The certificate and its key, in PEM, or `nil` without TLS.
    /// - Throws: ``/CabinetServer/HTTPError`` with the status 503 if the certificate and the key cannot be used.
    init(core: ListenerCore, certificate: ListenerCore.Certificate?) throws {
        self.core = core
        isSecure = certificate != nil
        let limits = core.configuration.limits
        memory = ConnectionMemory(limits)
        let callbacks = CMicroHTTPD_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(), target: Self.target, request: Self.request,
            completed: Self.completed, connection: Self.connection)
        let started = CMicroHTTPD_start(
            callbacks, memory.size,
            UInt32(clamping: max(1, limits.idleTime.components.seconds)),
            certificate?.certificate, certificate?.key)
        guard let started else {
            throw HTTPError(
                .serviceUnavailable,
                certificate == nil
                    ? "The system refused a thread or descriptor for connections."
                    : "The certificate and its key cannot be used. Both must be PEM, belong together, and have no password."
            )
        }
        let handle = MicroHTTPDHandle(pointer: started)
        self.handle.withLock { $0 = handle }
    }

    /// Whether the thread gets no new connections, and closes each one after its request.
    var isRetired: Bool { retired.load(ordering: .relaxed) || core.isStopping.load(ordering: .relaxed) }

    /// Lets the thread finish what it has.
    func retire() {
        retired.store(true, ordering: .relaxed)
    }

    /// Gives an accepted connection to the thread, which closes it also if that fails.
    func add(_ descriptor: Int32, address: UnsafePointer<sockaddr>, length: socklen_t) -> Bool {
        guard let handle = handle.withLock({ $0 }) else { return false }
        return MHD_add_connection(handle.pointer, descriptor, address, length) == .YES
    }

    /// Ends the thread and closes its connections, none of which may be suspended.
    func stop() {
        if let handle = handle.withLock({ $0.take() }) { MHD_stop_daemon(handle.pointer) }
    }

    func count(status: Int, received: Int64, sent: Int64) {
        counters.withLock { $0.count(status: status, received: received, sent: sent) }
    }

    /// The numbers of the requests of this thread.
    var requestCounters: HTTPCounters { counters.withLock { $0 } }

    private static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            context, target, handle in
            guard let context, let handle, let socket = CMicroHTTPD_context(handle) else { return nil }
            let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
            let connection = Unmanaged<Connection>.fromOpaque(socket).takeUnretainedValue()
            let exchange = Exchange(
                daemon: daemon, connection: connection, handle: MicroHTTPDHandle(pointer: handle),
                target: target.map { String(cString: $0) } ?? "")
            connection.begin(
                exchange, now: daemon.core.now.load(ordering: .relaxed), times: daemon.core.times)
            return Unmanaged.passRetained(exchange).toOpaque()
        }

    private static let request: MHD_AccessHandlerCallback = {
        _, handle, _, method, version, bytes, count, context in
        guard let handle, let count, let context = context?.pointee else { return .NO }
        return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().call(
            handle, method: method, version: version,
            bytes: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count.pointee), rest: &count.pointee)
    }

    private static let completed: MHD_RequestCompletedCallback = { _, handle, context, _ in
        guard let handle, let exchange = context?.pointee else { return }
        context?.pointee = nil
        Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().complete(handle)
    }

    private static let connection: MHD_NotifyConnectionCallback = { context, handle, socket, event in
        guard let context, let handle, let socket else { return }
        let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
        switch event {
        case .CONNECTION_NOTIFY_STARTED:
            let descriptor = CMicroHTTPD_socket(handle)
            guard let connection = daemon.core.table.withLock({ $0.connections[descriptor] }) else { return }
            socket.pointee = Unmanaged.passRetained(connection).toOpaque()
        case .CONNECTION_NOTIFY_CLOSED:
            guard let pointer = socket.pointee else { return }
            socket.pointee = nil
            daemon.core.close(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
        }
    }
}
