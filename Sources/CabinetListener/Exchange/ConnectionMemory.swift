import CMicroHTTPD

/// The memory of a connection, in which libmicrohttpd has the head of a request and then, beside it, that of the response.
///
/// If the second one does not fit, libmicrohttpd closes the connection without an answer, after the request was carried out.
struct ConnectionMemory {
    /// The bytes that a head of a response has at least; a request that leaves fewer is refused.
    static let reserve = 1 << 10
    /// The bytes of each field, item of a query and cookie, in addition to its text.
    private static let value = 64
    /// The bytes that the buffer for reading leaves when it grows.
    private static let unread = 7 << 10

    let size: Int

    init(_ limits: HTTPLimits) {
        size = max(2 << 10, limits.connectionMemory) + 3 * Self.reserve
    }

    /// Returns the bytes that are left for the head of a response.
    ///
    /// The next request may fill the buffer for reading. At first it is half of the memory, and behind a longer head half of the rest.
    ///
    /// - Parameter cookies: The length of the text of the cookies, which libmicrohttpd copies last.
    func room(of connection: OpaquePointer, cookies: Int) -> Int {
        let values = Self.value * CMicroHTTPD_value_count(connection)
        let buffer = min(size / 2, Self.unread) - values
        let rest = (size - CMicroHTTPD_head_size(connection) - values) / 2
        return min(buffer, rest) - Self.value * CMicroHTTPD_cookie_count(connection) - cookies
    }
}
