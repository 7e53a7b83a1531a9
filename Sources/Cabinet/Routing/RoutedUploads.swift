import Foundation
import Synchronization

/// The uploads that are under way, and where their bytes are.
final class RoutedUploads: Sendable {
    private struct Place: Hashable {
        let database: DatabaseKey
        let name: String
    }

    private let places = Mutex<[UUID: Place]>([:])

    /// Whether there is an upload to a database in another store than the given one.
    func isElsewhere(_ database: DatabaseKey, than name: String) -> Bool {
        places.withLock { $0.values.contains { $0.database == database && $0.name != name } }
    }

    /// An upload that is known from now on until it is ended.
    func adding(_ upload: any AssetUpload, to database: DatabaseKey, in name: String) -> any AssetUpload {
        places.withLock { $0[upload.id] = Place(database: database, name: name) }
        return RoutedUpload(base: upload, uploads: self)
    }

    fileprivate func remove(_ id: UUID) {
        places.withLock { $0[id] = nil }
    }
}

/// An upload to one of several stores.
private struct RoutedUpload: AssetUpload {
    let base: any AssetUpload
    let uploads: RoutedUploads

    var id: UUID { base.id }

    func clone(_ file: URL) async throws -> URL? { try await base.clone(file) }

    func append(_ bytes: Data) async throws { try await base.append(bytes) }

    func finish() async throws { try await base.finish() }

    func end() async {
        await base.end()
        uploads.remove(id)
    }
}
