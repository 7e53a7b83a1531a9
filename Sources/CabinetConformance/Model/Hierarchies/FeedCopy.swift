import Cabinet
import Foundation

/// The records that a user's device knows from the changes of a zone.
struct FeedCopy: Sendable {
    var numbers: [String: Int] = [:]
    var shares: Set<String> = []
    var token: ServerChangeToken?

    /// Fetches the changes since the last ones; begins again if the token has expired.
    mutating func fetch(_ zoneID: RecordZone.ID, from database: Database, pageSize: Int) async throws {
        while true {
            do {
                let page = try await database.recordZoneChanges(
                    inZoneWith: zoneID, since: token, resultsLimit: pageSize)
                for deletion in page.deletions {
                    numbers[deletion.recordID.recordName] = nil
                    shares.remove(deletion.recordID.recordName)
                }
                for (id, result) in page.modificationResultsByID {
                    let record = try result.get().record
                    if record.recordType == Share.recordType {
                        shares.insert(id.recordName)
                    } else {
                        numbers[id.recordName] = record["number"]
                    }
                }
                token = page.changeToken
                if !page.moreComing { return }
            } catch let error as CabinetError where error.code == .changeTokenExpired && token != nil {
                self = FeedCopy()
            }
        }
    }
}
