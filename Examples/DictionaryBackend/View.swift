import Cabinet
import Foundation
import Synchronization

/// The content of a database.
struct Content: Sendable {
    var schema = StoredSchema()
    var entries: [StorageKey: String] = [:]
    var records: [RecordID: StoredRecord] = [:]
    var deletions: [RecordID: StoredDeletion] = [:]
    var assets: [Asset.Checksum: Data] = [:]
}

/// A view of a database: a copy of its content, which a transaction changes.
final class View: StorageTransaction {
    private let copy: Mutex<Content>
    let uploads: UploadBuffer

    init(_ content: Content, uploads: UploadBuffer) {
        copy = Mutex(content)
        self.uploads = uploads
    }

    var content: Content {
        get { copy.withLock { $0 } }
        set { copy.withLock { $0 = newValue } }
    }
}
