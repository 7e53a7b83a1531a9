import Cabinet
import CabinetPostgres
import CabinetSQLite
import Foundation

extension Competition {
    /// Creates the competitor of a worker.
    func makeCompetitor(_ order: Worker.Order) throws -> any Competitor {
        let folder = order.folder
        let opening: CabinetCompetitor.Opening = { name, isDurable in
            SQLiteBackend(
                directory: folder.appending(path: name),
                configuration: SQLiteConfiguration(durability: isDurable ? .full : .normal))
        }
        switch self {
        case .plain: return BaselineCompetitor(folder: folder, isTuned: false)
        case .tuned: return BaselineCompetitor(folder: folder, isTuned: true)
        case .sqlite, .coded:
            return CabinetCompetitor(
                isCoded: self == .coded, opening: opening, folder: { name in folder.appending(path: name) })
        case .untyped, .typed:
            return TypedCompetitor(isTyped: self == .typed, opening: opening)
        case .owner, .participant, .rootOwner, .rootParticipant:
            return SharingCompetitor(
                isParticipant: self == .participant || self == .rootParticipant,
                isHierarchy: self == .rootOwner || self == .rootParticipant, opening: opening)
        case .unmirrored, .mirror:
            return MirrorCompetitor(isMirror: self == .mirror, opening: opening)
        case .remote, .remoteMirror:
            return MirrorCompetitor(isMirror: self == .remoteMirror, isRemote: true, opening: opening)
        case .untypedMemory, .typedMemory:
            return TypedCompetitor(isTyped: self == .typedMemory, opening: { _, _ in MemoryBackend() })
        case .dictionary, .structs: return DictionaryCompetitor()
        case .memory: return CabinetCompetitor(opening: { _, _ in MemoryBackend() })
        case .libpq: return PostgresBaselineCompetitor(connection: try order.requireConnection())
        case .postgres:
            let connection = try order.requireConnection()
            return CabinetCompetitor(opening: { name, _ in
                try PostgresBackend(connection: connection, configuration: PostgresConfiguration(schema: name))
            })
        }
    }
}

extension Worker.Order {
    fileprivate func requireConnection() throws -> String {
        guard let connection else { throw BenchmarkFailure("No PostgreSQL server is running.") }
        return connection
    }
}
