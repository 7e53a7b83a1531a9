#if canImport(FoundationNetworking)
import CCurl
import Cabinet
import Foundation
import FoundationNetworking
import Synchronization

/// The thread of a session, which begins with the first request and ends when the session is closed.
///
/// If the process had no descriptor by which other threads wake it up, it polls, and ends with its last request.
final class CurlThread: Sendable {
    private enum Command {
        case perform(CurlRequest)
        case cancel(UInt64)
    }

    /// The requests of other threads.
    // Other threads use the connections only for `curl_multi_wakeup`, the one function that may be called at any time, and
    // only within the lock, which the thread takes before it ends them.
    private struct State: @unchecked Sendable {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        var isClosed = false
        /// The connections; `nil` before the thread begins, and after it has ended.
        var multi: UnsafeMutableRawPointer?
        /// Whether the thread must poll, because it cannot be woken up.
        var polls = false

        mutating func wakeUp() {
            if let multi, curl_multi_wakeup(multi) != CURLM_OK { polls = true }
        }
    }

    private let state = Mutex(State())
    private let idleTimeLimit: Duration
    private let connections: Int

    /// The longest wait of a thread that polls, and the wait after a failed one, in milliseconds.
    private static let pollTime: Int32 = 50

    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(idleTimeLimit: Duration, connections: Int) {
        (self.idleTimeLimit, self.connections) = (idleTimeLimit, connections)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Returns the ID of a request to come.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Begins a request; its end is reported at once if that is not possible.
    func perform(_ request: CurlRequest) {
        let error = state.withLock { state -> URLError? in
            if state.isClosed { return URLError(.cancelled) }
            guard state.multi != nil || begin(&state) else {
                return URLError(
                    .cannotConnectToHost,
                    userInfo: [NSLocalizedDescriptionKey: "The system refused a thread or memory for connections."])
            }
            state.commands.append(.perform(request))
            state.wakeUp()
            return nil
        }
        if let error { request.end.resume(throwing: error) }
    }

    /// Creates the connections and their thread.
    ///
    /// - Returns: Whether the system had both.
    private func begin(_ state: inout State) -> Bool {
        guard Self.isInitialized, let multi = curl_multi_init() else { return false }
        guard SystemThread.start("CabinetRemote", { [self] in run() }) else {
            curl_multi_cleanup(multi)
            return false
        }
        (state.multi, state.polls) = (multi, false)
        return true
    }

    /// Ends a request, if it has not ended.
    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard state.multi != nil else { return }
            state.commands.append(.cancel(id))
            state.wakeUp()
        }
    }

    /// Ends all requests and the thread.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wakeUp()
        }
    }

    private func run() {
        guard let multi = state.withLock({ $0.multi }) else { return }
        var transfers = CurlTransfers(multi, connections: connections, idleTimeLimit: idleTimeLimit)
        while true {
            let (commands, isClosed, polls) = state.withLock { state in
                defer { state.commands.removeAll(keepingCapacity: true) }
                return (state.commands, state.isClosed, state.polls)
            }
            for command in commands {
                switch command {
                case .perform(let request): transfers.add(request)
                case .cancel(let id): transfers.cancel(id)
                }
            }
            if isClosed { break }
            transfers.perform()
            if polls, transfers.isEmpty, endsPolling() { break }
            let time = polls ? min(transfers.waitingTime, Self.pollTime) : transfers.waitingTime
            if curl_multi_poll(multi, nil, 0, time, nil) != CURLM_OK {
                Thread.sleep(forTimeInterval: Double(Self.pollTime) / 1_000)
            }
        }
        transfers.cancelAll()
        state.withLock { state in
            // The thread of a later request has its own.
            if state.multi == multi { state.multi = nil }
            curl_multi_cleanup(multi)
        }
    }

    /// Lets the next request create other connections, if there is none yet.
    private func endsPolling() -> Bool {
        state.withLock { state in
            if state.commands.isEmpty { state.multi = nil }
            return state.multi == nil
        }
    }
}
#endif
