/// A connection of libmicrohttpd, or one of its threads with all its connections.
// The pointer is only passed to libmicrohttpd. Its thread uses a connection in callbacks. Other threads only resume one, which any thread
// may: libmicrohttpd neither uses nor frees a suspended connection. A thread takes connections from any thread, and is ended once.
struct MicroHTTPDHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
