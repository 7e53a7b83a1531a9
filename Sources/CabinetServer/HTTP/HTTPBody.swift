public import Foundation

/// The bytes of a request or response: empty, in memory, or a stream of chunks that is read once.
///
/// A stream is read with back pressure: its producer, a client or a generator, waits until the consumer asks for the next chunk.
///
/// ```swift
/// for try await chunk in request.body {
///     try handle.write(contentsOf: chunk)
/// }
/// ```
public struct HTTPBody: AsyncSequence, Sendable {
    private enum Storage: Sendable {
        case bytes(Data)
        case chunks(length: Int64?, next: @Sendable () -> Iterator)
        case polled(Poll)
    }

    private let storage: Storage

    /// A function that returns the next chunk, or `nil` after the last one.
    ///
    /// An empty chunk means that there is none yet. Then the function calls its argument once, on any thread, when it can be called
    /// again.
    public typealias Poll = @Sendable (_ wake: @escaping @Sendable () -> Void) -> Data?

    /// A body without bytes.
    public static let empty = HTTPBody(Data())

    /// Creates a body of bytes in memory.
    ///
    /// - Parameter bytes: The bytes.
    public init(_ bytes: Data) {
        storage = .bytes(bytes)
    }

    /// Creates a body of a text in UTF-8.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) {
        self.init(Data(text.utf8))
    }

    /// Creates a body that is read from a sequence.
    ///
    /// - Parameters:
    ///   - chunks: The chunks, in order. Empty ones are allowed.
    ///   - length: The number of bytes of all chunks, if it is known. A response without it has no `Content-Length`.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) where Chunks.Element == Data {
        storage = .chunks(length: length) {
            var iterator = chunks.makeAsyncIterator()
            return Iterator { try await iterator.next() }
        }
    }

    /// Creates a body that is read by calling a function until it returns `nil`.
    ///
    /// - Parameters:
    ///   - length: The number of bytes of all chunks, if it is known.
    ///   - next: Returns the next chunk, or `nil` after the last one.
    public init(length: Int64? = nil, next: @escaping @Sendable () async throws -> Data?) {
        storage = .chunks(length: length) { Iterator(next: next) }
    }

    /// Creates a body that is silent for most of the time, and for which no task should wait.
    ///
    /// - Parameter poll: Returns the next chunk.
    public init(polling poll: @escaping Poll) {
        storage = .polled(poll)
    }

    /// The function that the body was created from, for a listener that waits for it without a task.
    package var poll: Poll? {
        if case .polled(let poll) = storage { poll } else { nil }
    }

    /// The number of bytes, if it is known.
    public var length: Int64? {
        switch storage {
        case .bytes(let bytes): Int64(bytes.count)
        case .chunks(let length, _): length
        case .polled: nil
        }
    }

    /// The bytes, if they are in memory.
    public var bytes: Data? {
        if case .bytes(let bytes) = storage { bytes } else { nil }
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The largest number of bytes that is accepted.
    /// - Returns: The bytes.
    /// - Throws: ``HTTPError`` with the status 413 if the body is longer, before its bytes are read if its length is known; the error
    ///   of the stream if it ends early.
    public func collect(upTo limit: Int) async throws -> Data {
        try await collect(upTo: limit) { _ in }
    }

    /// Reads the whole body into memory, and calls a function with the size of each chunk before it is kept.
    func collect(upTo limit: Int, counting count: (Int) throws -> Void) async throws -> Data {
        guard length ?? 0 <= limit else { throw Self.tooLong(limit) }
        if let bytes {
            try count(bytes.count)
            return bytes
        }
        var collected = Data()
        for try await chunk in self {
            guard collected.count + chunk.count <= limit else { throw Self.tooLong(limit) }
            try count(chunk.count)
            // The usual body is one chunk, which need not be copied.
            if collected.isEmpty { collected = chunk } else { collected.append(chunk) }
        }
        return collected
    }

    private static func tooLong(_ limit: Int) -> HTTPError {
        HTTPError(.contentTooLarge, "The body is longer than \(limit) bytes, which is the limit of this request.")
    }

    /// Creates an iterator over the chunks.
    ///
    /// - Returns: The iterator. A stream has one at most.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .bytes(let bytes):
            var rest: Data? = bytes.isEmpty ? nil : bytes
            return Iterator {
                defer { rest = nil }
                return rest
            }
        case .chunks(_, let makeIterator): return makeIterator()
        case .polled(let poll):
            return Iterator {
                while !Task.isCancelled {
                    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                    guard let chunk = poll({ signal.yield() }) else { return nil }
                    if !chunk.isEmpty { return chunk }
                    for await _ in signals { break }
                }
                return nil
            }
        }
    }

    /// An iterator over the chunks of a body.
    public struct Iterator: AsyncIteratorProtocol {
        private let read: () async throws -> Data?

        fileprivate init(next: @escaping () async throws -> Data?) {
            read = next
        }

        /// Returns the next chunk.
        ///
        /// - Returns: The chunk, or `nil` after the last one.
        /// - Throws: ``HTTPError`` with the status 413 if a request's body passes the limit of its listener, `CancellationError` if
        ///   its client has gone, or the error of the sequence that the body was created from.
        public mutating func next() async throws -> Data? { try await read() }
    }
}
