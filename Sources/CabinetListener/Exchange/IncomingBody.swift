import CabinetServer
import Foundation
import Synchronization

/// The body of a request on its way from the connection to its task.
struct IncomingBody {
    /// The bytes that arrived before the task asked for them: at most one buffer of libmicrohttpd.
    var buffered: Data?
    /// The task, if it waits for the next chunk.
    var reader: UnsafeContinuation<Data?, any Error>?
    var received: Int64 = 0
    /// The reason for which the body ends early.
    var failure: (any Error)?
    /// Whether what still arrives is of no use, because the response exists.
    var isDiscarded = false
    /// The milliseconds for which the client may still keep the server waiting.
    var allowance: Int64 = 0
    /// The time at which the server began to wait for the client.
    var waitingSince: Int64 = 0
}

extension Exchange {
    /// An error of a task that reads its body twice at once.
    private static let secondReader = HTTPError(.internalServerError, "The body is being read already.")

    /// Returns the next chunk of the body to the task, or `nil` after the last one.
    func nextChunk() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let result: Result<Data?, any Error>? = state.withLock { state in
                    if let failure = state.incoming.failure { return .failure(failure) }
                    if let chunk = state.incoming.buffered.take() { return .success(chunk) }
                    if state.phase == .complete { return .success(nil) }
                    if state.incoming.reader != nil { return .failure(Self.secondReader) }
                    if state.handle == nil || Task.isCancelled { return .failure(CancellationError()) }
                    state.incoming.reader = continuation
                    wake(&state)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let reader = state.withLock { $0.incoming.reader.take() }
            reader?.resume(throwing: CancellationError())
        }
    }

    /// Takes bytes of the body that have arrived.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        let limit = daemon.core.configuration.limits.bodySize
        var reader: UnsafeContinuation<Data?, any Error>?
        let failure = state.withLock { state -> (any Error)? in
            state.isInline = true
            state.incoming.received += Int64(bytes.count)
            stopClock(&state, afterReceiving: bytes.count)
            reader = state.incoming.reader.take()
            if state.incoming.received > limit, state.incoming.failure == nil {
                state.incoming.failure = HTTPError(
                    .contentTooLarge, "The body is longer than \(limit) bytes, which is the limit of this server.")
                state.incoming.buffered = nil
                state.incoming.isDiscarded = true
            }
            guard !state.incoming.isDiscarded else {
                if state.incoming.received - Self.toleratedRest > limit { state.isAborted = true }
                return state.incoming.failure
            }
            if reader == nil { state.incoming.buffered = (state.incoming.buffered ?? Data()) + Data(bytes) }
            return nil
        }
        if let failure { reader?.resume(throwing: failure) } else { reader?.resume(returning: Data(bytes)) }
    }

    /// Ends the body: all of it has arrived.
    func endBody() {
        let reader = state.withLock { state in
            state.isInline = true
            state.phase = .complete
            connection.deadline.store(0, ordering: .relaxed)
            return state.incoming.reader.take()
        }
        reader?.resume(returning: nil)
    }

    /// Lets the client send more of the body, for a limited time.
    func startClock(_ state: inout State) {
        let now = daemon.core.now.load(ordering: .relaxed)
        state.incoming.waitingSince = now
        connection.deadline.store(now + state.incoming.allowance + Times.tick, ordering: .relaxed)
    }

    /// Takes the time for which the client kept the server waiting from its allowance, and gives time for what it sent.
    private func stopClock(_ state: inout State, afterReceiving count: Int) {
        let rate = max(1, daemon.core.configuration.limits.minimumBodyRate)
        let now = daemon.core.now.load(ordering: .relaxed)
        let earned = Int64(count) * 1_000 / rate
        let left = state.incoming.allowance - (now - state.incoming.waitingSince) + earned
        state.incoming.allowance = min(daemon.core.times.body, left)
        state.incoming.waitingSince = now
    }

    /// The number of bytes of a refused body that are read so that the client reads the response; a longer rest ends the connection.
    static let toleratedRest: Int64 = 1 << 20
}
