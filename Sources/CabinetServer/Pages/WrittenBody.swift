package import Foundation
import Cabinet
import Synchronization

extension HTTPBody {
    /// Writes bytes of a body, and waits until the client has read what came before.
    package typealias Output = @Sendable (Data) async throws -> Void

    /// Creates a body that a function writes while the client reads, such as an export.
    ///
    /// Memory holds what one call writes. If the client goes away, the next call throws `CancellationError`, and the function's task is
    /// cancelled.
    ///
    /// - Parameter write: Writes the bytes; its error ends the body early, so that the client notices.
    package init(writing write: @escaping @Sendable (_ output: @escaping Output) async throws -> Void) {
        let reader = WrittenBody(write)
        self.init(next: { try await reader.next() })
    }
}

/// The reader of a body that a task writes.
///
/// The task is cancelled when the reader is deallocated.
private final class WrittenBody: Sendable {
    private let pipe = Pipe()
    private let write: @Sendable (_ output: @escaping HTTPBody.Output) async throws -> Void

    init(_ write: @escaping @Sendable (_ output: @escaping HTTPBody.Output) async throws -> Void) {
        self.write = write
    }

    deinit {
        pipe.cancel()
    }

    func next() async throws -> Data? {
        pipe.start(write)
        return try await pipe.next()
    }
}

/// One chunk that passes from the task that writes it to the one that reads it.
private final class Pipe: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The chunk that was written and not read, and the writer that waits for its reader.
        var chunk: (bytes: Data, read: Promise<Void>)?
        /// The reader that waits for a chunk.
        var reader: Promise<Data?>?
        var end: Result<Data?, any Error>?
    }

    private let state = Mutex(State())

    /// Starts the task that writes, once.
    func start(_ write: @escaping @Sendable (_ output: @escaping HTTPBody.Output) async throws -> Void) {
        state.withLock { state in
            if state.task != nil || state.end != nil { return }
            state.task = Task.detached { [self] in
                do {
                    try await write { try await self.send($0) }
                    finish(.success(nil))
                } catch {
                    finish(.failure(error))
                }
            }
        }
    }

    private func send(_ bytes: Data) async throws {
        if bytes.isEmpty { return }
        let read = Promise<Void>()
        let reader: Promise<Data?>? = try state.withLock { state in
            if state.end != nil { throw CancellationError() }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.chunk = (bytes, read)
            return nil
        }
        if let reader { return reader.resolve(.success(bytes)) }
        try await read.value()
    }

    func next() async throws -> Data? {
        let promise = Promise<Data?>()
        let read: Promise<Void>? = state.withLock { state in
            if let (bytes, read) = state.chunk {
                state.chunk = nil
                promise.resolve(.success(bytes))
                return read
            }
            if let end = state.end {
                promise.resolve(end)
            } else {
                state.reader = promise
            }
            return nil
        }
        read?.resolve(.success(()))
        return try await withTaskCancellationHandler {
            try await promise.value()
        } onCancel: {
            cancel()
        }
    }

    private func finish(_ end: Result<Data?, any Error>) {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            if state.end == nil { state.end = end }
            return state.reader
        }
        reader?.resolve(end)
    }

    /// Ends the task that writes, because nothing reads any more.
    func cancel() {
        let (task, writer, reader) = state.withLock { state in
            defer { (state.chunk, state.reader) = (nil, nil) }
            if state.end == nil { state.end = .failure(CancellationError()) }
            return (state.task, state.chunk?.read, state.reader)
        }
        task?.cancel()
        writer?.resolve(.failure(CancellationError()))
        reader?.resolve(.failure(CancellationError()))
    }
}
