/// A connection of libmicrohttpd.
// The pointer is only passed to libmicrohttpd. Its thread uses it in callbacks; others resume a connection with it, which any thread may, and
// which keeps the connection alive until then: libmicrohttpd does not touch a suspended one.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
