import Cabinet
import Foundation

extension JSONLinesBackend {
    /// Writes the file anew, with a line for each database: without what was changed or deleted since.
    public func compact() async throws {
        try checkIsOpen()
        await beginWriting()
        defer { endWriting() }
        let lines = contents.map { Line(database: $0, facts: $1.committed.facts) }
        try await executor.run { [log] in
            try log.replace(with: try lines.map { try Self.encoder.encode($0) })
        }
    }
}
