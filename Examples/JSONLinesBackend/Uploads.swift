import Foundation
import Synchronization

/// The bytes of assets that no transaction has added yet.
final class Uploads: Sendable {
    private let bytes = Mutex<[UUID: Data]>([:])

    subscript(id: UUID) -> Data? {
        get { bytes.withLock { $0[id] } }
        set { bytes.withLock { $0[id] = newValue } }
    }

    func append(_ new: Data, to id: UUID) {
        bytes.withLock { $0[id, default: Data()].append(new) }
    }
}
