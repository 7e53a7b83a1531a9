import CMicroHTTPD
import CabinetServer
import Foundation
import Synchronization

extension Exchange {
    /// Answers a call of libmicrohttpd: the head has arrived, bytes of the body have, all has, or the connection was resumed.
    ///
    /// - Parameters:
    ///   - handle: The connection.
    ///   - method: The method.
    ///   - version: The version of the protocol.
    ///   - bytes: Bytes of the body, or none.
    ///   - rest: The number of the bytes, which is set to 0 if they were taken.
    /// - Returns: `NO` to close the connection.
    func call(
        _ handle: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
        bytes: UnsafeRawBufferPointer, rest: inout Int
    ) -> MHD_Result {
        guard state.withLock({ $0.head }) != nil else { return begin(handle, method: method, version: version) }
        if bytes.isEmpty {
            switch state.withLock({ ($0.phase, $0.task == nil && !$0.isAnswered && $0.response == nil) }) {
            case (.head, _): break
            case (.body, _): endBody()
            case (.complete, let isNew): if isNew { startTask() }
            }
        } else {
            // Between two chunks of one buffer libmicrohttpd does not check whether the connection was suspended.
            if CMicroHTTPD_is_suspended(handle) != 0 { return .YES }
            receive(bytes)
            rest = 0
        }
        return advance(handle)
    }

    /// Reads the head, and starts the task if a body follows.
    ///
    /// A request without a body has a second call, and a response in the first one would close the connection.
    private func begin(
        _ handle: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?
    ) -> MHD_Result {
        let head = RequestHead(of: handle, in: daemon.memory, method: method, version: version, target: target)
        let limits = daemon.core.configuration.limits
        connection.deadline.store(0, ordering: .relaxed)
        state.withLock { state in
            state.head = head
            state.phase = head.hasBody ? .head : .complete
            state.incoming.allowance = daemon.core.times.body
        }
        var refusal = head.refusal
        if let length = head.bodyLength, length > limits.bodySize {
            refusal =
                refusal
                ?? HTTPError(
                    .contentTooLarge,
                    "The body is longer than \(limits.bodySize) bytes, which is the limit of this server.")
        }
        if let refusal {
            state.withLock { $0.isAnswered = true }
            if head.room < Self.headOfRefusal, !daemon.isSecure {
                connection.hasRefusedBody.store(true, ordering: .relaxed)
                connection.send("431 Request Header Fields Too Large")
                return .NO
            }
            return answer(HTTPResponse(reporting: refusal), on: handle, closes: true)
        }
        guard head.hasBody else { return .YES }
        startTask()
        return advance(handle)
    }

    private func startTask() {
        let head = state.withLock { state in
            state.isInline = true
            return state.head
        }
        guard let head, let method = head.method else { return }
        let body =
            head.hasBody ? HTTPBody(length: head.bodyLength) { [self] in try await nextChunk() } : HTTPBody.empty
        let request = HTTPRequest(
            method: method, target: target, headerFields: head.fields, body: body,
            remoteAddress: connection.peer?.text, isSecure: daemon.isSecure)
        // The first job of the task waits in the queue until `advance` runs it.
        let task = Task(executorPreference: self) { [self] in await handle(request) }
        state.withLock { $0.task = task }
    }

    /// The task: calls the handler, and sends the stream of its response.
    private func handle(_ request: HTTPRequest) async {
        var response: HTTPResponse
        do {
            response = try await connection.handler(request)
        } catch {
            state.withLock { $0.error = error }
            response = HTTPResponse(reporting: error is CancellationError ? Self.cancelled : error)
        }
        state.withLock { state in
            // A response may refer to its exchange, which must not hold it for longer than the connection.
            if state.handle != nil { state.response = response }
            if state.phase != .complete { state.incoming.failure = state.incoming.failure ?? Self.lateReader }
            wake(&state)
        }
        var stream: Task<Void, Never>?
        if case .body(let body) = response.content, body.bytes == nil, body.poll == nil {
            // A task keeps the memory of its deepest call, and an idle stream is open for long. So it has a task of its own.
            stream = Task(executorPreference: self) { [self] in await sendStream(body) }
        }
        let isOver = state.withLock { state in
            state.task = state.handle == nil ? nil : stream
            return state.handle == nil || state.isAborted
        }
        if isOver || Task.isCancelled { stream?.cancel() }
    }

    private func sendStream(_ body: HTTPBody) async {
        defer { state.withLock { $0.task = nil } }
        do {
            for try await chunk in body where !chunk.isEmpty { try await send(chunk) }
            finishStream(isWhole: true)
        } catch {
            state.withLock { $0.error = error }
            finishStream(isWhole: false)
        }
    }

    /// libmicrohttpd cannot send before it has the whole request.
    private static let lateReader = HTTPError(
        .internalServerError, "The body of a request must be read before its response is returned.")
    private static let cancelled = HTTPError(.serviceUnavailable, "The request was cancelled. Try again.")

    /// The end of a callback, after the task has run as far as it can.
    private enum Step {
        case proceed
        case close
        case answer(HTTPResponse, closes: Bool)
    }

    /// Runs the jobs of the task, then answers, reads on, or suspends the connection.
    private func advance(_ handle: OpaquePointer) -> MHD_Result {
        while true {
            var jobs = JobQueue()
            let step: Step? = state.withLock { state in
                swap(&jobs, &state.jobs)
                guard jobs.isEmpty else { return nil }
                state.isInline = false
                return nextStep(&state)
            }
            switch step {
            case nil: run(jobs)
            case .proceed: return .YES
            case .close: return .NO
            case .answer(let response, let closes):
                state.withLock { $0.response = nil }
                return answer(response, on: handle, closes: closes)
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        if isAborted(state) { return .close }
        if state.isAnswered { return .proceed }
        if let response = state.response {
            switch state.phase {
            case .head:
                // Reading a short body to no purpose costs less than a new connection.
                if let head = state.head, let length = head.bodyLength, length <= Self.shortBody, !head.expectsContinue
                {
                    break
                }
                state.isAnswered = true
                return .answer(response, closes: true)
            case .body: break
            case .complete:
                state.isAnswered = true
                return .answer(response, closes: false)
            }
            state.incoming.isDiscarded = true
        } else if state.incoming.reader == nil {
            suspend(&state)
            return .proceed
        }
        state.phase = .body
        startClock(&state)
        return .proceed
    }

    /// The bytes that the head of a refusal has at most.
    private static let headOfRefusal = 256
    /// The length of a body up to which it is read although the response exists, so that the connection stays open.
    private static let shortBody: Int64 = 64 << 10
}
