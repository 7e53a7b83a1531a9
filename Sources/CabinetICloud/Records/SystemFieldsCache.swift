import Cabinet
import CloudKit
import Foundation
import Synchronization

/// The system fields of records that were fetched or saved, with which a save compares the server's version.
///
/// CloudKit compares versions by an archive that it alone can read, and Cabinet's records have the change tag alone. A record that the
/// cache lacks is fetched before it is saved, so the cache saves a request and decides nothing.
final class SystemFieldsCache: Sendable {
    private struct Key: Hashable {
        let scope: DatabaseScope
        let id: RecordID
        let changeTag: String
    }

    private struct State {
        var archives: [Key: Data] = [:]
        var size = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameter limit: The number of bytes at which the cache starts again.
    init(limit: Int = 8 << 20) {
        self.limit = limit
    }

    /// The number of bytes that the cache holds.
    var size: Int { state.withLock { $0.size } }

    func store(_ object: CKRecord, as id: RecordID, in scope: DatabaseScope) {
        guard let tag = object.recordChangeTag else { return }
        let key = Key(scope: scope, id: id, changeTag: tag)
        if state.withLock({ $0.archives[key] != nil }) { return }
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        object.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let data = archiver.encodedData
        state.withLock { state in
            if state.size + data.count > limit { state = State() }
            if state.archives.updateValue(data, forKey: key) == nil { state.size += data.count }
        }
    }

    /// Returns an object with the system fields of a version, and no fields; `nil` if the cache lacks them.
    func object(_ id: RecordID, _ changeTag: String, in scope: DatabaseScope) -> CKRecord? {
        let key = Key(scope: scope, id: id, changeTag: changeTag)
        guard let data = state.withLock({ $0.archives[key] }),
            let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
        else {
            return nil
        }
        unarchiver.requiresSecureCoding = true
        defer { unarchiver.finishDecoding() }
        return CKRecord(coder: unarchiver)
    }
}
