import Foundation
import Synchronization

/// The numbers of a server, by request and status.
final class ServerMetrics: Sendable {
    private struct Key: Hashable {
        let name: String
        let status: Int
    }

    private struct State {
        /// Names are those of requests and operations, and statuses those of HTTP, so that the counts are bounded.
        var counts: [Key: Int] = [:]
        var seconds: [String: Double] = [:]
    }

    private let state = Mutex(State())

    func count(_ record: RequestRecord) {
        state.withLock { state in
            state.counts[Key(name: record.name, status: record.status), default: 0] += 1
            state.seconds[record.name, default: 0] += record.duration / .seconds(1)
        }
    }

    /// The numbers in Prometheus' text format.
    func text(streams: Int) -> String {
        let (counts, seconds) = state.withLock { ($0.counts, $0.seconds) }
        var lines = ["# TYPE cabinet_requests_total counter"]
        for (key, count) in counts.sorted(by: { ($0.key.name, $0.key.status) < ($1.key.name, $1.key.status) }) {
            lines.append("cabinet_requests_total{request=\"\(key.name)\",status=\"\(key.status)\"} \(count)")
        }
        lines.append("# TYPE cabinet_request_seconds_total counter")
        for (name, sum) in seconds.sorted(by: { $0.key < $1.key }) {
            lines.append("cabinet_request_seconds_total{request=\"\(name)\"} \(sum)")
        }
        lines += ["# TYPE cabinet_streams gauge", "cabinet_streams \(streams)"]
        return lines.joined(separator: "\n") + "\n"
    }
}
