import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads keys on a dedicated thread, which may block.
final class KeyReader: Sendable {
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let wake: FileHandle
    private let ended = DispatchSemaphore(value: 0)

    /// The byte in the pipe that ends the thread.
    private static let stopByte: UInt8 = 1

    /// The time limit for the rest of a key, in milliseconds.
    ///
    /// After that, Escape alone was pressed.
    private static let timeout: Int32 = 50

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - wake: The end of a pipe; each byte in it means that the terminal was resized, or that the thread ends.
    ///   - continuation: Receives the events, and finishes with the input.
    /// - Returns: `nil` if the system refuses a thread.
    init?(wake: FileHandle, continuation: AsyncStream<TerminalEvent>.Continuation) {
        self.wake = wake
        self.continuation = continuation
        guard startThread() else { return nil }
    }

    /// Starts the thread, and returns whether it could, which Foundation's `Thread` does not report.
    private func startThread() -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let reader = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                // The argument is optional on some systems only.
                let context: UnsafeMutableRawPointer? = context
                guard let context else { return nil }
                pthread_detach(pthread_self())
                let reader = Unmanaged<KeyReader>.fromOpaque(context).takeRetainedValue()
                reader.run()
                reader.ended.signal()
                return nil
            }, reader.toOpaque())
        if status != 0 { reader.release() }
        return status == 0
    }

    /// Ends the thread, so that the next key is for another reader, and waits for its end.
    ///
    /// - Parameter wake: The other end of the pipe.
    func stop(wakingUp wake: FileHandle) {
        try? wake.write(contentsOf: [Self.stopByte])
        ended.wait()
    }

    private func run() {
        var decoder = KeyDecoder()
        var sources = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let timeout = decoder.isWaiting && !decoder.isInPaste ? Self.timeout : -1
            switch poll(&sources, nfds_t(sources.count), timeout) {
            case 0: yield(decoder.flush())
            case 1...:
                if sources[1].revents != 0, let bytes = Self.read(wake.fileDescriptor) {
                    if bytes.contains(Self.stopByte) { return continuation.finish() }
                    continuation.yield(.resized)
                }
                guard sources[0].revents != 0 else { continue }
                guard let bytes = Self.read(STDIN_FILENO) else { return continuation.finish() }
                yield(decoder.take(bytes))
            default:
                guard errno == EINTR else { return continuation.finish() }
            }
        }
    }

    private func yield(_ keys: [Key]) {
        for key in keys { continuation.yield(.key(key)) }
    }

    /// The available bytes, at most as many as the limit; `nil` at the end of the input.
    static func read(_ descriptor: Int32, limit: Int = 4096) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            #if canImport(Glibc)
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, limit))
            #elseif canImport(Musl)
            count = max(0, Musl.read(descriptor, buffer.baseAddress, limit))
            #else
            count = max(0, Darwin.read(descriptor, buffer.baseAddress, limit))
            #endif
        }
        return bytes.isEmpty ? nil : bytes
    }
}
