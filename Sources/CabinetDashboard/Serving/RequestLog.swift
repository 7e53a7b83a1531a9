import Foundation
import Synchronization

/// The last requests of the dashboard.
final class RequestLog: Sendable {
    /// A request and its answer, without what was typed.
    struct Entry: Sendable {
        let date: Date
        let method: String
        /// The page, without its query, which has values of records.
        let path: String
        let user: String?
        let status: Int
        let duration: Duration
        let error: String?

        var microseconds: Int {
            Int(duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000)
        }
    }

    private let entries = Mutex<[Entry]>([])

    /// The number of requests that are kept.
    static let maximumCount = 1_000

    func add(_ entry: Entry) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount * 2 { entries.removeFirst(Self.maximumCount) }
            entries.append(entry)
        }
    }

    /// The last requests, the newest first.
    var latest: [Entry] { entries.withLock { Array($0.suffix(Self.maximumCount).reversed()) } }
}
