import Foundation
import Synchronization

/// The file that the connections of a database have opened, so that a later one notices that another file is at its path, or none.
///
/// Without it, a reader would find an empty database after the loss of the file, and a write would create a new one.
final class OpenedFile: Sendable {
    private let path: String
    private let known = Mutex<Identity?>(nil)

    /// The file system's identity of a file.
    private struct Identity: Equatable {
        let device: dev_t
        let number: ino_t

        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    init(path: String) {
        self.path = path
    }

    /// Throws ``/Cabinet/CabinetError/Code/badContainer`` if the file that a connection has opened is no longer at the path.
    func check() throws {
        guard let known = known.withLock({ $0 }), Identity(of: path) != known else { return }
        throw SQLiteFailure.moved(path: path)
    }

    /// Remembers the file of a new connection.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/badContainer`` if it is not that of the others.
    func add(_ connection: Connection) throws {
        let identity = Identity(of: path)
        let isSame = known.withLock { known in
            if known == nil { known = identity }
            return known == identity
        }
        if !isSame || connection.handle.hasMoved { throw SQLiteFailure.moved(path: path) }
    }
}
