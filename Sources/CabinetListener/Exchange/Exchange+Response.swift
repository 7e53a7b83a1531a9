import CMicroHTTPD
import CabinetServer
import Foundation
import Synchronization

extension Exchange {
    /// Gives a response to libmicrohttpd, or an error in place of one whose head is too long.
    func answer(_ response: HTTPResponse, on handle: OpaquePointer, closes: Bool) -> MHD_Result {
        let size = response.headerFields.reduce(Self.ownFields) { size, field in
            size + field.name.rawName.utf8.count + field.value.utf8.count + 4
        }
        if size > max(ConnectionMemory.reserve, state.withLock { $0.head?.room } ?? 0) {
            let error = HTTPError(.internalServerError, "The head of the server's answer is too long.")
            state.withLock { $0.error = error }
            return answer(HTTPResponse(reporting: error), on: handle, closes: closes)
        }
        guard let created = create(response.content) else { return .NO }
        defer { MHD_destroy_response(created) }
        for field in response.headerFields where !Self.isFraming(field.name) {
            // An implicit conversion would allocate an array for each.
            _ = field.name.rawName.withCString { name in
                field.value.withCString { MHD_add_response_header(created, name, $0) }
            }
        }
        if closes { connection.hasRefusedBody.store(true, ordering: .relaxed) }
        if closes || daemon.isRetired { MHD_add_response_header(created, "Connection", "close") }
        let (core, length) = (daemon.core, state.withLock { $0.outgoing.sent })
        if length > 0 {
            let limits = core.configuration.limits
            var time = length / max(1, limits.minimumSendRate) * 1_000
            if case .body = response.content { time = min(time, limits.sendTime.milliseconds) }
            connection.awaitReading(until: core.now.load(ordering: .relaxed) + core.times.idle + Times.tick + time)
        }
        return MHD_queue_response(handle, UInt32(response.status.code), created)
    }

    /// The bytes of the status line and the fields that libmicrohttpd writes, at most.
    private static let ownFields = 160

    /// Whether libmicrohttpd writes a field by itself.
    private static func isFraming(_ name: HTTPField.Name) -> Bool {
        switch name.rawName.utf8.count {
        case 4: name.rawName.lowercased() == "date"
        case 10: name == .connection
        case 14: name == .contentLength
        case 17: name == .transferEncoding
        default: false
        }
    }

    private func create(_ content: HTTPResponse.Content) -> OpaquePointer? {
        switch content {
        case .file(let file):
            let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return nil }
            let length = UInt64(file.range.count)
            if let response = MHD_create_response_from_fd_at_offset64(
                length, descriptor, UInt64(file.range.lowerBound))
            {
                state.withLock { $0.outgoing.sent = Int64(length) }
                return response
            }
            SystemCalls.close(descriptor)
            return nil
        case .body(let body):
            if let bytes = body.bytes {
                state.withLock { $0.outgoing.sent = Int64(bytes.count) }
                return bytes.withUnsafeBytes { buffer in
                    MHD_create_response_from_buffer(
                        buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
                }
            }
            state.withLock { $0.outgoing.poll = body.poll }
            return createStream(length: body.length)
        }
    }

    private func createStream(length: Int64?) -> OpaquePointer? {
        let exchange = Unmanaged.passRetained(self)
        let response = MHD_create_response_from_callback(
            // Chunks of unknown length are written to the memory of the connection, and need no other.
            length.map(UInt64.init(clamping:)) ?? .max, length == nil ? 1 : 32 << 10,
            { exchange, _, buffer, count in
                guard let exchange, let buffer else { return -2 }
                return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().fill(
                    UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, exchange.toOpaque(),
            { exchange in
                if let exchange { Unmanaged<Exchange>.fromOpaque(exchange).release() }
            })
        if response == nil { exchange.release() }
        return response
    }

    /// Ends the exchange: the response has been sent, or the connection is closed.
    func complete(_ handle: OpaquePointer) {
        let status = Int(CMicroHTTPD_status(handle))
        let core = daemon.core
        var reader: UnsafeContinuation<Data?, any Error>?
        var writer: UnsafeContinuation<Void, any Error>?
        var jobs = JobQueue()
        // The response is released after the lock: what it holds may call the exchange when it ends.
        let (task, access, _, _) = state.withLock { state in
            state.handle = nil
            reader = state.incoming.reader.take()
            writer = state.outgoing.writer.take()
            // No callback follows.
            swap(&jobs, &state.jobs)
            state.isInline = false
            if state.head?.method == .head { state.outgoing.sent = 0 }
            daemon.count(status: status, received: state.incoming.received, sent: state.outgoing.sent)
            let access = start.map { start in
                HTTPAccess(
                    method: state.head?.method, path: HTTPRequest(method: .get, target: target).path,
                    status: HTTPResponse.Status(code: status), bytesReceived: state.incoming.received,
                    bytesSent: state.outgoing.sent, duration: start.duration(to: .now),
                    remoteAddress: connection.peer?.text, error: state.error)
            }
            return (state.task.take(), access, state.response.take(), state.outgoing.poll.take())
        }
        task?.cancel()
        jobs.forEach { globalConcurrentExecutor.enqueue(ExecutorJob($0)) }
        reader?.resume(throwing: CancellationError())
        writer?.resume(throwing: CancellationError())
        if let access { core.configuration.log?(access) }
        connection.end(now: core.now.load(ordering: .relaxed), times: core.times)
    }
}
