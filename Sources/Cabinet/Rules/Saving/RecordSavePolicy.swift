/// What a save compares, and what it sends.
///
/// Fields that only the server has keep their values under every policy.
public enum RecordSavePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Saves the changed keys, if the server still has the version that the client fetched; otherwise fails with
    /// ``CabinetError/Code/serverRecordChanged``. A record that the client never fetched must be new.
    case ifServerRecordUnchanged = 0

    /// Saves the changed keys over whatever version the server has.
    case changedKeys = 1

    /// Saves all keys that the client has over whatever version the server has, and creates the record anew if the server's was
    /// deleted.
    case allKeys = 2
}
