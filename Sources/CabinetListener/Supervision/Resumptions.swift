import CMicroHTTPD
import Synchronization

/// Resumes suspended connections, at once or many in one go.
///
/// With each resumption libmicrohttpd walks through all suspended connections of the thread. With few of them that costs nothing. With
/// many, resumptions are collected for some milliseconds, and share a walk.
final class Resumptions: Sendable {
    /// The number of suspended connections from which on resumptions are collected.
    private static let crowd = 512
    /// The milliseconds between two walks.
    static let pause: Int64 = 5

    private let waiting: Atomic<Int>
    private let pending = Mutex<[MicroHTTPDHandle]>([])
    private let wakeUp: WakeUp

    init(wakeUp: WakeUp) {
        waiting = Atomic(0)
        self.wakeUp = wakeUp
    }

    /// The number of suspended connections.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }

    /// Whether so many connections are suspended that a resumption waits for others.
    var isCrowded: Bool { waitingCount >= Self.crowd }

    /// Whether connections are to be resumed.
    var isPending: Bool { pending.withLock { !$0.isEmpty } }

    /// Suspends a connection, on the thread of libmicrohttpd in a callback.
    func suspend(_ handle: MicroHTTPDHandle) {
        waiting.add(1, ordering: .relaxed)
        MHD_suspend_connection(handle.pointer)
    }

    /// Resumes a suspended connection, soon.
    func resume(_ handle: MicroHTTPDHandle) {
        let others = waiting.subtract(1, ordering: .relaxed).newValue
        guard others >= Self.crowd else { return MHD_resume_connection(handle.pointer) }
        let isFirst = pending.withLock { pending in
            pending.append(handle)
            return pending.count == 1
        }
        if isFirst { wakeUp.signal() }
    }

    /// Resumes the connections that were collected.
    func flush() {
        let handles = pending.withLock { pending in
            defer { pending.removeAll(keepingCapacity: true) }
            return pending
        }
        for handle in handles { MHD_resume_connection(handle.pointer) }
    }
}
