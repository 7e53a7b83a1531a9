#if canImport(FoundationNetworking)
import CCurl
import Cabinet
import Foundation
import FoundationNetworking
import Synchronization

/// The thread of a session, which begins with the first request and ends when the session is closed.
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
    }

    private let state = Mutex(State())
    private let silence: Duration
    private let connections: Int

    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(silence: Duration, connections: Int) {
        (self.silence, self.connections) = (silence, connections)
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
        let isTaken = state.withLock { state in
            guard !state.isClosed, Self.isInitialized else { return false }
            if state.multi == nil {
                guard let multi = curl_multi_init() else { return false }
                state.multi = multi
                Thread.detachNewThread { [self] in run() }
            }
            state.commands.append(.perform(request))
            curl_multi_wakeup(state.multi)
            return true
        }
        if !isTaken { request.end.resume(throwing: URLError(.cancelled)) }
    }

    /// Ends a request, if it has not ended.
    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard state.multi != nil else { return }
            state.commands.append(.cancel(id))
            curl_multi_wakeup(state.multi)
        }
    }

    /// Ends all requests and the thread.
    func close() {
        state.withLock { state in
            state.isClosed = true
            if state.multi != nil { curl_multi_wakeup(state.multi) }
        }
    }

    private func run() {
        Thread.current.name = "CabinetRemote"
        guard let multi = state.withLock({ $0.multi }) else { return }
        var transfers = CurlTransfers(multi, connections: connections, silence: silence)
        while true {
            let (commands, isClosed) = state.withLock { state in
                defer { state.commands.removeAll(keepingCapacity: true) }
                return (state.commands, state.isClosed)
            }
            for command in commands {
                switch command {
                case .perform(let request): transfers.add(request)
                case .cancel(let id): transfers.cancel(id)
                }
            }
            if isClosed { break }
            transfers.perform()
            curl_multi_poll(multi, nil, 0, transfers.waitingTime, nil)
        }
        transfers.cancelAll()
        state.withLock { state in
            state.multi = nil
            curl_multi_cleanup(multi)
        }
    }
}
#endif
