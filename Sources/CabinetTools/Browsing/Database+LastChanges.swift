package import Cabinet
import Foundation

extension Database {
    /// Returns a token after which a zone has as many changes as its list shows, and the deletions among them that the zone remembers.
    ///
    /// - Returns: The token; `nil` for the beginning.
    package func startOfLastChanges(
        inZoneWith zoneID: RecordZone.ID, limit: Int = BrowseStore.changeLimit
    ) async throws -> ServerChangeToken? {
        func changes(since token: ServerChangeToken?, limit: Int) async throws -> (count: Int, token: ServerChangeToken)
        {
            try Task.checkCancellation()
            let page = try await recordZoneChanges(
                inZoneWith: zoneID, since: token, desiredKeys: [], resultsLimit: limit)
            return (page.modificationResultsByID.count + page.deletions.count, page.changeToken)
        }
        let end = try await changes(since: nil, limit: 1).token
        let last = end.lastSequenceNumber
        /// Returns the lowest number after which all deletions are remembered, at most the upper one.
        func horizon(from number: Int64, to upper: Int64) async throws -> Int64 {
            var (lower, upper) = (number - 1, upper)
            while upper - lower > 1 {
                let middle = lower == number - 1 ? number : lower + (upper - lower) / 2
                do {
                    _ = try await changes(since: end.moved(to: middle, withDeletionsAfter: middle), limit: 1)
                    upper = middle
                } catch CabinetError.Code.changeTokenExpired {
                    lower = middle
                }
            }
            return upper
        }
        var (distance, remembered, previous) = (Int64(limit), last, last)
        while last > 0 {
            let number = max(0, last - distance)
            // Before a deletion that is forgotten, all are.
            if remembered == previous { remembered = try await horizon(from: number, to: remembered) }
            previous = number
            guard let start = end.moved(to: number, withDeletionsAfter: remembered) else { return nil }
            if number == 0 { return start }
            if try await changes(since: start, limit: limit).count == limit { return start }
            distance = min(distance, .max / 2) * 2
        }
        return nil
    }
}

extension ServerChangeToken {
    /// Reads a token that a person or an address has; `nil` for another text.
    package init?(typed text: String) {
        let json = JSONValue.array([.string(text)]).description
        guard let token = try? JSONDecoder().decode([Self].self, from: Data(json.utf8)).first else { return nil }
        self = token
    }

    /// The token as one word; `nil` if it cannot be written.
    package var typed: String? {
        guard let data = try? JSONEncoder().encode([self]),
            case .array(let values)? = try? JSONValue(parsing: String(decoding: data, as: UTF8.self))
        else { return nil }
        return values.first?.string
    }
}
