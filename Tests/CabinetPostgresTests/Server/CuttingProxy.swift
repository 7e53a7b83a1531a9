import Foundation
import PostgresTestSupport
import Synchronization

/// A proxy between a backend and the server that cuts connections during a commit.
final class CuttingProxy: Sendable {
    /// The time at which a connection is cut.
    enum Cut: Sendable {
        case never
        /// Before the server receives the commit.
        case beforeCommit
        /// After the server has committed, before the client receives the result.
        case afterCommit
        /// After the client has received the failure of a statement that was sent with the commit.
        case afterFailure
        /// At once, for every connection.
        case always
    }

    private struct State {
        var plan: [Cut] = []
        var holds = false
        var isHolding = false
        var isClosed = false
        var cuts = 0
        var withheld: Data?
        var withheldCount = 0
    }

    let directory: URL
    private let listener: Int32
    private let target: String
    private let state = Mutex(State())
    private let condition = NSCondition()

    /// Creates a proxy before a server.
    init(before server: PostgresServer) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "cabinet-cut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        target = server.directory.appending(path: ".s.PGSQL.5432").path
        listener = try Self.socket(at: directory.appending(path: ".s.PGSQL.5432").path, binding: true)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Sets when the next connections that commit are cut, one after the other.
    func plan(_ cuts: [Cut]) { state.withLock { $0.plan = cuts } }

    /// Holds the bytes that clients send to the server, or forwards them again.
    func hold(_ holds: Bool) {
        state.withLock { state in
            state.holds = holds
            state.isHolding = false
        }
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Never forwards what clients send in one piece with a text.
    func withhold(_ text: String) { state.withLock { $0.withheld = Data(text.utf8) } }

    /// The number of times that something was withheld.
    var withheldCount: Int { state.withLock(\.withheldCount) }

    private func mustWithhold(_ bytes: Data) -> Bool {
        state.withLock { state in
            guard let text = state.withheld, bytes.range(of: text) != nil else { return false }
            state.withheldCount += 1
            return true
        }
    }

    /// Waits until bytes are held.
    func whenHolding() async {
        while !state.withLock(\.isHolding) { await Task.yield() }
    }

    private func waitWhileHeld() {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ state in
            guard state.holds, !state.isClosed else { return false }
            state.isHolding = true
            return true
        }) { condition.wait() }
    }

    /// The number of connections that were cut.
    var cuts: Int { state.withLock(\.cuts) }

    /// Ends the proxy.
    func close() {
        state.withLock { $0.isClosed = true }
        hold(false)
        _ = shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(at: directory)
    }

    var connection: String {
        let socket = directory.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgresql://cabinet@\(socket)/postgres"
    }

    private func accept() {
        while !state.withLock(\.isClosed) {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { break }
            Thread.detachNewThread { [self] in
                if state.withLock({ $0.plan.first == .always }) {
                    _ = Foundation.close(client)
                } else if let server = try? Self.socket(at: target, binding: false) {
                    relay(client, server)
                } else {
                    _ = Foundation.close(client)
                }
            }
        }
        _ = Foundation.close(listener)
    }

    /// Forwards bytes in both directions, until one side ends or the connection is to be cut.
    private func relay(_ client: Int32, _ server: Int32) {
        defer {
            _ = Foundation.close(client)
            _ = Foundation.close(server)
        }
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, 2, 1000) >= 0, !state.withLock(\.isClosed) {
            if ends[0].revents != 0 {
                guard let bytes = Self.read(client) else { return }
                waitWhileHeld()
                if mustWithhold(bytes) { continue }
                let cut = bytes.range(of: Self.commit) == nil ? Cut.never : nextCut()
                switch cut {
                case .beforeCommit: return
                case .afterCommit:
                    Self.write(bytes, to: server)
                    // The result shows that the commit is done.
                    _ = Self.read(server)
                    Thread.sleep(forTimeInterval: 0.05)
                    return
                case .afterFailure:
                    Self.write(bytes, to: server)
                    // The end of the answer, "ready for a query", is missing.
                    if let answer = Self.read(server) { Self.write(answer.dropLast(6), to: client) }
                    return
                case .never, .always: Self.write(bytes, to: server)
                }
            }
            if ends[1].revents != 0 {
                guard let bytes = Self.read(server) else { return }
                Self.write(bytes, to: client)
            }
        }
    }

    /// The statement as it is sent; statements that set an isolation level do not match.
    private static let commit = Data("\0COMMIT\0".utf8)

    private func nextCut() -> Cut {
        state.withLock { state in
            guard let cut = state.plan.first, cut != .always else { return .never }
            state.plan.removeFirst()
            if cut != .never { state.cuts += 1 }
            return cut
        }
    }

    private static func read(_ descriptor: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return count > 0 ? Data(buffer.prefix(count)) : nil
    }

    private static func write(_ data: Data, to descriptor: Int32) {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func socket(at path: String, binding: Bool) throws -> Int32 {
        #if os(Linux)
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isDone = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let length = socklen_t(MemoryLayout<sockaddr_un>.size)
                return binding
                    ? bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    : connect(descriptor, pointer, length) == 0
            }
        }
        guard isDone else {
            _ = Foundation.close(descriptor)
            throw PostgresServer.Failure(description: "The socket \(path) cannot be used.")
        }
        return descriptor
    }
}

#if !os(Linux)
/// A closed connection raises a signal on Apple's systems unless the socket says otherwise.
private let MSG_NOSIGNAL = 0
#endif
