import Foundation

/// What a database says of itself, in a store that it has left, or is about to leave or to come to.
///
/// It lies in the database as a notification to somebody whom no account can be, as a copy's note does, so that every transaction can look at
/// it: what the directory says may have changed since.
struct RouteMark: Sendable, Hashable {
    enum Kind: String {
        /// Nobody may write any more; as long as the directory has no later home, what is here can be read.
        case left
        /// Everything has arrived, and the directory can be told.
        case arrived
        /// What is here is of no use, and is being removed.
        case emptying
    }

    var kind: Kind

    /// The database does not live here in this generation, nor did it in those before.
    var generation: Int64

    /// What tells this mark from others.
    var id = UUID()

    private static let userName = "route"
    private static let version = "1"

    /// Reads the mark of a database; `nil` if it has none.
    static func read(from snapshot: any StorageSnapshot) async throws -> RouteMark? {
        guard let stored = try await snapshot.notifications(to: userName, after: 0, limit: 1).first else { return nil }
        let parts = stored.deviceID.split(separator: " ")
        guard parts.count == 4, parts[0] == version, let kind = Kind(rawValue: String(parts[1])),
            let generation = Int64(parts[2]), let id = UUID(uuidString: String(parts[3]))
        else {
            throw CabinetError(
                .incompatibleVersion, "The database was moved by another version of Cabinet. Use that one.")
        }
        return RouteMark(kind: kind, generation: generation, id: id)
    }

    /// Writes the mark down.
    func write(to transaction: any StorageTransaction) async throws {
        let number = try await transaction.reserveSequenceNumbers(1)
        try await transaction.post([
            StoredNotification(
                userName: Self.userName, sequenceNumber: number, date: Date(),
                deviceID: "\(Self.version) \(kind.rawValue) \(generation) \(id)", subscriptionID: "route",
                event: .database, replacementKey: "route")
        ])
    }
}

/// A transaction has found that the database does not live where it was looked for.
struct MovedAway: Error {
    let mark: RouteMark

    /// Throws if a database does not live here any more, or must not be written to.
    ///
    /// - Parameters:
    ///   - snapshot: A transaction of the store where the database was looked for.
    ///   - generation: The generation of the home that led here.
    ///   - isReadable: Whether a database that may be leaving can be used, because nobody writes to it elsewhere.
    static func check(_ snapshot: any StorageSnapshot, _ generation: Int64, isReadable: Bool = false) async throws {
        guard let mark = try await RouteMark.read(from: snapshot), mark.generation >= generation else { return }
        if isReadable, mark.kind == .left, mark.generation == generation { return }
        throw MovedAway(mark: mark)
    }
}
