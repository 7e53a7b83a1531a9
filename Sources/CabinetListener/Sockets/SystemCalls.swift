#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls of the system whose names methods have too, or that differ between systems.
enum SystemCalls {
    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = Int32(SOCK_STREAM)
    #endif

    /// Creates a socket that does not block, and that other programs do not inherit.
    static func socket(family: Int32) -> Int32 {
        prepared(socketCall(family, stream, 0))
    }

    /// Accepts a connection that does not block, and that other programs do not inherit.
    static func accept(
        _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>
    ) -> Int32 {
        prepared(acceptCall(socket, address, length))
    }

    static func listen(_ socket: Int32) -> Int32 { listenCall(socket, 4_096) }

    static func close(_ descriptor: Int32) { _ = closeCall(descriptor) }

    /// Sends bytes as far as they fit in the buffer of the system.
    static func send(_ bytes: [UInt8], to socket: Int32) {
        #if os(Linux)
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #else
        let flags = MSG_DONTWAIT
        #endif
        _ = sendCall(socket, bytes, bytes.count, flags)
    }

    private static func prepared(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }
}

private let socketCall = socket
private let acceptCall = accept
private let listenCall = listen
private let closeCall = close
private let sendCall = send

extension HTTPListener {
    /// Lets the process open a number of files and connections, if the system allows as many; often it has fewer unless it asks.
    package static func raiseFileLimit(to count: Int) {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(count), limit.rlim_max))
        setrlimit(resource, &limit)
    }
}
