import Cabinet
import Foundation

/// The progress of a copy, as the target stores it.
///
/// The checkpoint is an entry of the target. Each transaction of the copy stores it together with the changes that it describes.
struct CopyCheckpoint: Sendable, Hashable, Codable {
    /// The number with which the source's changes begin.
    ///
    /// It identifies the source.
    let sourceBeginning: Int64

    /// The number with which the target's changes begin once the copy is ready.
    ///
    /// It exceeds all numbers assigned before.
    var beginning: Int64

    /// The highest number that records of the source may have while this beginning is valid.
    var recordLimit: Int64

    /// The source's last number at an instant whose whole content the target has.
    var copiedNumber: Int64 = 0

    /// The current pass.
    var pass: Pass?

    /// Whether the target was compared with the source, and may be used.
    var isReady = false

    /// The last sequence number of the target.
    ///
    /// If it differs, another writer has changed the target.
    private(set) var lastNumber: Int64 = 0

    /// The progress of a pass.
    ///
    /// A pass copies one zone after the other, and each in the order of its changes.
    struct Pass: Sendable, Hashable, Codable {
        /// The source's last number when the pass began.
        let number: Int64
        /// The rank of the zone that is being copied; those of lower rank are copied.
        var zone: Int64
        /// The number in that zone up to which everything is copied.
        var position: Int64
    }

    init(sourceBeginning: Int64, beginning: Int64, recordLimit: Int64) {
        self.sourceBeginning = sourceBeginning
        self.beginning = beginning
        self.recordLimit = recordLimit
    }

    /// The key of the checkpoint's entry.
    static let key = StorageKey("copy")
    private static let version = 2

    private struct Content: Codable {
        let version: Int
        let checkpoint: CopyCheckpoint
    }
}

extension CopyCheckpoint {
    /// Returns the checkpoint of a database; `nil` if the database is not the result of a copy.
    static func read(from snapshot: any StorageSnapshot) async throws -> CopyCheckpoint? {
        let texts = try await snapshot.load(StorageKeys(entries: [key])).entries
        guard let text = texts.first ?? nil else { return nil }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)), content.version == version
        else {
            throw CabinetError(
                .incompatibleVersion,
                "The target was copied to by another version of Cabinet. Continue with that version, or copy to an empty "
                    + "store.")
        }
        return content.checkpoint
    }

    /// Throws if another writer has changed the database since the checkpoint was stored.
    func check(in snapshot: any StorageSnapshot) async throws {
        // No two checkpoints of a database have the same number.
        guard try await Self.read(from: snapshot)?.lastNumber == lastNumber,
            try await snapshot.lastSequenceNumber() == lastNumber
        else {
            throw CabinetError(
                .serverRejectedRequest,
                "Another writer has changed the target. Make one copy at a time, and do not use the target before the copy is "
                    + "complete.")
        }
    }

    /// Applies mutations, and then stores the checkpoint as the last change of the transaction.
    mutating func apply(_ mutations: [StorageMutation], to transaction: any StorageTransaction) async throws {
        lastNumber = try await transaction.reserveSequenceNumbers(1)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let content = try encoder.encode(Content(version: Self.version, checkpoint: self))
        try await transaction.apply(mutations + [.setEntry(Self.key, String(decoding: content, as: UTF8.self))])
    }
}
