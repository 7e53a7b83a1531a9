import Foundation

/// The response to a request with an ID, stored in the transaction of its changes, so that a repetition changes nothing.
///
/// The entries' keys begin with the period of their transaction. A request reads those of the current period, of the one before, and of
/// the next one, because the clock of another program can be ahead. It knows them without a search, and removes those of earlier periods
/// now and then.
enum RecordedReply {
    /// The number of seconds of a period, which is the time for which a response is found at least.
    static let period: TimeInterval = 600

    /// A transaction that assigns a multiple of this sequence number removes the replies of earlier periods.
    static let cleanupInterval: Int64 = 64

    /// Returns the keys under which a reply is found; a new one is stored under the first.
    static func keys(of id: UUID?, user: String, at date: Date) -> [StorageKey] {
        guard let id else { return [] }
        let current = number(at: date)
        return [current, max(current - 1, 0), current + 1].map {
            StorageKey("reply", StorageKey.name($0), user, id.uuidString)
        }
    }

    /// The keys of the replies that no request reads any more.
    static func expiredKeys(at date: Date) -> Range<StorageKey> {
        StorageKey.all("reply").lowerBound..<StorageKey("reply", StorageKey.name(max(number(at: date) - 1, 0)))
    }

    private static func number(at date: Date) -> Int64 {
        // The clock is the program's, so the date can be any.
        let periods = date.timeIntervalSince1970 / period
        return periods > 0 && periods < 1e12 ? Int64(periods) : 0
    }

    /// Returns the text of the entry.
    static func text(_ response: ModifyRecordsRequest.Response) throws(CabinetError) -> String {
        String(decoding: try ModifyRecordsRequest.Response.coding.encode(response), as: UTF8.self)
    }

    /// Reads the text of an entry.
    static func response(_ text: String) throws(CabinetError) -> ModifyRecordsRequest.Response {
        try ModifyRecordsRequest.Response.coding.decode(Array(text.utf8))
    }
}

extension LocalRequestHandler {
    /// Returns the response to an earlier request with the same ID.
    func reply(
        to request: ModifyRecordsRequest, of user: String, in database: DatabaseKey
    ) async throws -> ModifyRecordsRequest.Response? {
        let keys = RecordedReply.keys(of: request.requestID, user: user, at: service.now())
        if keys.isEmpty { return nil }
        let texts = try await read(database) { try await $0.load(StorageKeys(entries: keys)).entries }
        return try texts.lazy.compactMap { $0 }.first.map { text throws(CabinetError) in
            try RecordedReply.response(text)
        }
    }

    /// Removes old replies if the numbers of a committed transaction make that due.
    ///
    /// The request has succeeded, so an error only delays the work.
    func forgetReplies(after cleanup: Cleanup, in database: DatabaseKey) async {
        let interval = RecordedReply.cleanupInterval
        guard cleanup.numbers.lowerBound / interval != cleanup.numbers.upperBound / interval else { return }
        let expired = RecordedReply.expiredKeys(at: cleanup.date)
        // Nearly always there are none, and a read costs less than a transaction.
        let found = try? await backend.read(database) { try await $0.entries(in: expired, limit: 1) }
        if found?.isEmpty == true { return }
        _ = try? await backend.write(database) { transaction in
            var range = expired
            var keys: [StorageKey] = []
            while range.lowerBound < range.upperBound {
                // Replies can be long, so few are read at once.
                let page = try await transaction.entries(in: range, limit: 64)
                keys += page.map(\.key)
                guard let last = page.last?.key, page.count == 64 else { break }
                range = last.next..<max(last.next, range.upperBound)
            }
            try await transaction.apply(keys.map { .setEntry($0, nil) })
        }
    }
}
