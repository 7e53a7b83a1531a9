/// The signals of databases as a stream of events, `text/event-stream`.
///
/// A server writes ``signal`` for each signal, and ``idle`` once in a while, by which both sides find a broken connection. A client
/// gives the bytes to a ``Reader`` as they arrive.
public enum SignalStream {
    /// The content type of the stream.
    public static let contentType = "text/event-stream"

    /// The bytes of a signal.
    public static let signal = Array("data: \n\n".utf8)

    /// The bytes of a comment, which means nothing.
    public static let idle = Array(":\n\n".utf8)

    /// The bytes that end the stream: the service was closed, and the client does not connect again.
    public static let end = Array("event: end\ndata: \n\n".utf8)

    /// An event of a stream.
    public enum Event: Sendable, Hashable {
        /// A database may have changed.
        case signal
        /// The service was closed.
        case end
    }

    /// A reader of a stream whose bytes arrive in parts.
    ///
    /// It holds a few bytes of the current line, however long the line is.
    public struct Reader: Sendable {
        private var line: [UInt8] = []
        private var hasData = false
        private var name: [UInt8] = []
        private var followsReturn = false

        /// The longest line that has a meaning here has 10 bytes.
        private static let longest = 16

        /// Creates a reader.
        public init() {}

        /// Returns the events that bytes complete.
        ///
        /// - Parameter bytes: The next bytes of the stream.
        /// - Returns: The events, in their order; events of other names are passed over.
        public mutating func events(in bytes: some Sequence<UInt8>) -> [Event] {
            var events: [Event] = []
            for byte in bytes {
                // A line ends with a line feed, a return, or both.
                let isSecondHalf = followsReturn && byte == UInt8(ascii: "\n")
                followsReturn = byte == UInt8(ascii: "\r")
                if isSecondHalf { continue }
                if byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                    if line.count < Self.longest { line.append(byte) }
                    continue
                }
                if let event = endLine() { events.append(event) }
            }
            return events
        }

        private mutating func endLine() -> Event? {
            defer { line.removeAll(keepingCapacity: true) }
            if line.isEmpty {
                defer { (hasData, name) = (false, []) }
                guard hasData else { return nil }
                if name.isEmpty { return .signal }
                return name == Array("end".utf8) ? .end : nil
            }
            if line.starts(with: "data".utf8) { hasData = true }
            if line.starts(with: "event:".utf8) { name = line.dropFirst(6).filter { $0 != UInt8(ascii: " ") } }
            return nil
        }
    }
}
