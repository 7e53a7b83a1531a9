import CMicroHTTPD
import CabinetServer
import Foundation
import Synchronization

/// The stream of a response on its way from the task to the connection.
struct OutgoingBody {
    /// The chunk that is being sent.
    var chunk = Data()
    /// The number of bytes of the chunk that libmicrohttpd has taken.
    var position = 0
    /// The task, if it waits until its chunk has been taken.
    var writer: UnsafeContinuation<Void, any Error>?
    var sent: Int64 = 0
    /// The function that returns the next chunk, if no task sends them.
    var poll: HTTPBody.Poll?
    /// Whether there may be a chunk since the function was called last.
    var isReady = false
    /// Whether the stream has ended, and whether it is whole; `nil` before.
    var isWhole: Bool?

    /// Copies bytes to a buffer of libmicrohttpd.
    ///
    /// - Returns: The number of bytes.
    mutating func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(chunk.count - position, buffer.count)
        guard count > 0 else { return 0 }
        chunk.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
        }
        position += count
        sent += Int64(count)
        if position == chunk.count {
            chunk = Data()
            position = 0
        }
        return count
    }
}

extension Exchange {
    /// Gives a chunk of the response to the connection, and waits until it has been taken.
    func send(_ chunk: Data) async throws {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let isTaken = state.withLock { state in
                    guard state.handle != nil, !Task.isCancelled else { return false }
                    state.outgoing.chunk = chunk
                    state.outgoing.writer = continuation
                    wake(&state)
                    return true
                }
                if !isTaken { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let writer = state.withLock { $0.outgoing.writer.take() }
            writer?.resume(throwing: CancellationError())
        }
    }

    /// Ends the stream of the response.
    func finishStream(isWhole: Bool) {
        state.withLock { endStream(&$0, isWhole: isWhole) }
    }

    func endStream(_ state: inout State, isWhole: Bool) {
        state.outgoing.isWhole = isWhole
        wake(&state)
    }

    /// Fills a buffer of libmicrohttpd with the next bytes of the stream.
    ///
    /// - Returns: The number of bytes, or 0 if the connection was suspended because there are none yet; negative numbers are those of
    ///   libmicrohttpd for the end of the stream and for an error.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            var jobs = JobQueue()
            var writer: UnsafeContinuation<Void, any Error>?
            var poll: HTTPBody.Poll?
            let result: Int? = state.withLock { state in
                swap(&jobs, &state.jobs)
                state.isInline = !jobs.isEmpty
                if state.isInline { return nil }
                let count = state.outgoing.copy(to: buffer)
                if count > 0 { return count }
                if isAborted(state) { return Self.endWithError }
                writer = state.outgoing.writer.take()
                state.isInline = writer != nil
                if state.isInline { return nil }
                if let isWhole = state.outgoing.isWhole { return isWhole ? Self.endOfStream : Self.endWithError }
                poll = state.outgoing.poll
                state.outgoing.isReady = false
                if poll != nil { return nil }
                suspend(&state)
                return 0
            }
            if let result { return result }
            if let poll, !take(poll) { return 0 }
            writer?.resume()
            run(jobs)
        }
    }

    /// Takes the next chunk of a body without a task.
    ///
    /// - Returns: Whether there is a chunk, or the end; otherwise the connection was suspended.
    private func take(_ poll: HTTPBody.Poll) -> Bool {
        let chunk = poll { [weak self] in
            self?.state.withLock { state in
                state.outgoing.isReady = true
                self?.wake(&state)
            }
        }
        return state.withLock { state in
            state.outgoing.chunk = chunk ?? Data()
            if chunk == nil { state.outgoing.isWhole = true }
            let goesOn =
                !state.outgoing.chunk.isEmpty || state.outgoing.isReady || state.outgoing.isWhole != nil
                || isAborted(state)
            if !goesOn { suspend(&state) }
            return goesOn
        }
    }

    // The macros of libmicrohttpd, whose casts Swift does not read.
    private static let endOfStream = -1
    private static let endWithError = -2
}
