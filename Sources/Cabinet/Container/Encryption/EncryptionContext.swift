import Foundation

/// The bytes that a ciphertext is bound to: what they name cannot be exchanged without that the decryption fails.
///
/// Each part is preceded by its length, so that no two lists of parts have the same bytes.
struct EncryptionContext {
    private(set) var bytes = Data()

    /// The context of a zone's wrapped keys.
    ///
    /// - Parameter owner: The record name of the zone's owner.
    init(keysOf zoneID: RecordZone.ID, owner: String, in containerIdentifier: String) {
        add(["Cabinet zone key 1", containerIdentifier, owner, zoneID.zoneName])
    }

    /// The context of a field's value.
    init(
        _ key: Record.FieldKey, of record: Record, owner: String, in containerIdentifier: String
    ) {
        let id = record.recordID
        add([
            "Cabinet value 1", containerIdentifier, owner, id.zoneID.zoneName, id.recordName, record.recordType, key,
        ])
    }

    private mutating func add(_ parts: [String]) {
        for part in parts {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part.utf8)
        }
    }
}
