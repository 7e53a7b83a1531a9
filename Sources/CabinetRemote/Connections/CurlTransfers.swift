#if canImport(FoundationNetworking)
import CCurl
import Foundation
import FoundationNetworking

/// The requests of a session, on its thread.
struct CurlTransfers {
    private let multi: UnsafeMutableRawPointer
    private let connections: Int
    private let idleTimeLimit: Duration
    private var active: [UInt64: CurlTransfer] = [:]
    /// Requests that wait for a connection: the oldest are the last of the first array, and the others follow in the second.
    private var waiting: (oldest: [CurlRequest], newest: [CurlRequest]) = ([], [])
    /// The time at which the idle time of all transfers is checked.
    private var nextCheck: ContinuousClock.Instant?

    init(_ multi: UnsafeMutableRawPointer, connections: Int, idleTimeLimit: Duration) {
        self.multi = multi
        self.connections = max(1, connections)
        self.idleTimeLimit = idleTimeLimit
        cabinet_curl_set_idle_connections(multi, self.connections)
    }

    mutating func add(_ request: CurlRequest) {
        waiting.newest.append(request)
    }

    mutating func cancel(_ id: UInt64) {
        if let transfer = active[id] {
            return end(transfer, URLError(transfer.isConnected ? .cancelled : .cannotConnectToHost))
        }
        for queue in [\Self.waiting.oldest, \.waiting.newest] {
            guard let index = self[keyPath: queue].firstIndex(where: { $0.id == id }) else { continue }
            // Nothing was sent.
            self[keyPath: queue].remove(at: index).end.resume(throwing: URLError(.cannotConnectToHost))
        }
    }

    mutating func cancelAll() {
        for transfer in active.values { end(transfer, URLError(.cancelled)) }
        for request in waiting.oldest + waiting.newest { request.end.resume(throwing: URLError(.cancelled)) }
        waiting = ([], [])
    }

    /// Sends and receives what is possible without waiting, and ends the requests that have ended.
    mutating func perform() {
        repeat {
            startWaiting()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            endFinished()
            endSilent()
            // An end makes room for another request.
        } while active.count < connections && !(waiting.oldest.isEmpty && waiting.newest.isEmpty)
    }

    /// Whether no request is active or waits.
    var isEmpty: Bool { active.isEmpty && waiting.oldest.isEmpty && waiting.newest.isEmpty }

    /// The number of milliseconds until idle times are checked.
    var waitingTime: Int32 {
        // Without a request nothing can happen but a new one, which wakes the thread.
        guard let nextCheck else { return .max }
        let left = ContinuousClock.now.duration(to: nextCheck) / .milliseconds(1)
        return Int32(max(0, min(left.rounded(.up), 1_000_000)))
    }

    private mutating func startWaiting() {
        while active.count < connections {
            if waiting.oldest.isEmpty { waiting = (waiting.newest.reversed(), []) }
            guard let request = waiting.oldest.popLast() else { return }
            do {
                let transfer = try CurlTransfer(request)
                active[request.id] = transfer
                if curl_multi_add_handle(multi, transfer.easy) != CURLM_OK {
                    end(transfer, URLError(.cannotConnectToHost))
                }
            } catch {
                request.end.resume(throwing: error)
            }
        }
    }

    private mutating func endFinished() {
        var count: Int32 = 0
        while let message = curl_multi_info_read(multi, &count)?.pointee {
            guard message.msg == CURLMSG_DONE, let transfer = CurlTransfer.of(message.easy_handle) else { continue }
            end(transfer, transfer.error(of: message.data.result))
        }
    }

    /// Ends the transfers that were silent for too long; at most an eighth of that time later.
    private mutating func endSilent() {
        let now = ContinuousClock.now
        if active.isEmpty {
            nextCheck = nil
        } else if let check = nextCheck, now < check {
            return
        } else {
            for transfer in active.values where transfer.idleTime(at: now) >= idleTimeLimit {
                // Nothing was sent before there was a connection.
                end(transfer, URLError(transfer.isConnected ? .timedOut : .cannotConnectToHost))
            }
            nextCheck = now + idleTimeLimit / 8
        }
    }

    private mutating func end(_ transfer: CurlTransfer, _ error: (any Error)?) {
        active[transfer.request.id] = nil
        curl_multi_remove_handle(multi, transfer.easy)
        if let error {
            transfer.request.end.resume(throwing: error)
        } else {
            transfer.request.end.resume()
        }
    }
}
#endif
