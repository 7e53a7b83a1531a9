package import Cabinet
import Foundation

extension Database {
    /// Returns a token after which a zone has as many changes as its list shows; `nil` for the beginning.
    package func startOfLastChanges(
        inZoneWith zoneID: RecordZone.ID, limit: Int = BrowseStore.changeLimit
    ) async throws -> ServerChangeToken? {
        func changes(since token: ServerChangeToken?, limit: Int) async throws -> (count: Int, token: ServerChangeToken)
        {
            let page = try await recordZoneChanges(
                inZoneWith: zoneID, since: token, desiredKeys: [], resultsLimit: limit)
            return (page.modificationResultsByID.count + page.deletions.count, page.changeToken)
        }
        let first = try await changes(since: nil, limit: 1).token
        var distance = Int64(limit)
        while let start = first.moved(beforeEnd: distance) {
            try Task.checkCancellation()
            if try await changes(since: start, limit: limit).count == limit { return start }
            distance *= 2
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
