import Foundation

/// How far a copy has come, as the target remembers it.
///
/// The note lies in the target as a notification to somebody whom no account can be: so every backend can keep it, and it is changed in
/// the same transactions as what it tells of.
struct CopyNote: Sendable, Hashable, Codable {
    /// The number with which the source's changes begin; another one is another store.
    let sourceBeginning: Int64

    /// The number with which the target's changes will begin once it is ready, above all that were given out before.
    var beginning: Int64

    /// The highest number that records of the source may have while this beginning holds.
    var recordLimit: Int64

    /// Everything is there that the source had when this was its last number.
    var copiedNumber: Int64 = 0

    /// The pass that is under way.
    var pass: Pass?

    /// Whether the target was compared with the source, and may be used.
    var isReady = false

    /// The last sequence number of the target; another one tells that somebody else has written to it.
    private(set) var lastNumber: Int64 = 0

    /// How far a pass has come: zones are copied one after the other, and each in the order of its changes.
    struct Pass: Sendable, Hashable, Codable {
        /// The source's last number when the pass began.
        let number: Int64
        /// The rank of the zone that is being copied; those before it are done.
        var zone: Int64
        /// The number in that zone up to which everything is copied.
        var place: Int64
    }

    init(sourceBeginning: Int64, beginning: Int64, recordLimit: Int64) {
        self.sourceBeginning = sourceBeginning
        self.beginning = beginning
        self.recordLimit = recordLimit
    }

    // Accounts' names begin with an underscore.
    private static let userName = "copy"
    private static let version = 1

    private struct Content: Codable {
        let version: Int
        let note: CopyNote
    }
}

extension CopyNote {
    /// Reads the note of a database; `nil` if it is not the result of a copy.
    static func read(from snapshot: any StorageSnapshot) async throws -> CopyNote? {
        guard let stored = try await snapshot.notifications(to: userName, after: 0, limit: 1).first else { return nil }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(stored.deviceID.utf8)),
            content.version == version
        else {
            throw CabinetError(
                .incompatibleVersion,
                "The target was copied to by another version of Cabinet. Go on with that one, or copy to an empty store."
            )
        }
        return content.note
    }

    /// Makes sure that the note is the one that the database has.
    func check(in snapshot: any StorageSnapshot) async throws {
        // Each note has a number of its own.
        guard try await Self.read(from: snapshot)?.lastNumber == lastNumber,
            try await snapshot.lastSequenceNumber() == lastNumber
        else {
            throw CabinetError(
                .serverRejectedRequest,
                "Somebody else writes to the target. Make one copy at a time, and let nobody use the target before it is complete."
            )
        }
    }

    /// Writes the note down, as the last change of a transaction.
    mutating func write(to transaction: any StorageTransaction) async throws {
        lastNumber = try await transaction.reserveSequenceNumbers(1)
        let content = try JSONEncoder().encode(Content(version: Self.version, note: self))
        try await transaction.post([
            StoredNotification(
                userName: Self.userName, sequenceNumber: lastNumber, date: Date(),
                deviceID: String(decoding: content, as: UTF8.self), subscriptionID: "copy", event: .database,
                replacementKey: "copy")
        ])
    }
}
