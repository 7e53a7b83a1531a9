import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads of the system whose start is checked: Foundation's `Thread` does not report that the system refused one.
package enum SystemThread {
    /// The function of a thread, and its name.
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            #if os(Linux)
            // The system refuses a longer name.
            self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            #else
            self.name = name
            #endif
            self.body = body
        }
    }

    /// The time after which a refused thread is requested again.
    static let retryTime = DispatchTimeInterval.milliseconds(50)

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: The name that debuggers show, on Linux its first fifteen characters.
    ///   - body: The function of the thread, which ends with it.
    /// - Returns: Whether the thread was started. The system refuses one if its user or container has too many, or memory is
    ///   short.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let work = Unmanaged.passRetained(Work(name, body))
        let status = pthread_create(
            &thread, nil,
            { context in
                // The argument is optional on some systems only.
                let context: UnsafeMutableRawPointer? = context
                guard let context else { return nil }
                let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                // Nothing waits for its end.
                pthread_detach(pthread_self())
                #if canImport(Darwin)
                pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0)
                #endif
                Thread.current.name = work.name
                work.body()
                return nil
            }, work.toOpaque())
        if status != 0 { work.release() }
        return status == 0
    }

    /// Starts a thread as soon as the system has one: at once, or after repeated attempts on a queue of Dispatch.
    package static func startEventually(_ name: String, _ body: @escaping @Sendable () -> Void) {
        if start(name, body) { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + retryTime) { startEventually(name, body) }
    }

    /// A number that identifies the calling thread while it runs, and that is not 0.
    static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #elseif canImport(Musl)
        UInt(bitPattern: Int(bitPattern: pthread_self()))
        #else
        UInt(pthread_self())
        #endif
    }
}
