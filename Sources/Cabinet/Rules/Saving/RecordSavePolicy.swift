/// The policy by which a save compares versions and merges fields.
///
/// Fields that only the server has keep their values under every policy. <doc:Conflicts> shows what each policy does with
/// the changes of two clients.
public enum RecordSavePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Saves the changed keys, if the server still has the version that the client fetched; otherwise fails with
    /// ``CabinetError/Code/serverRecordChanged``. A record that the client never fetched must be new.
    case ifServerRecordUnchanged = 0

    /// Saves the changed keys over any version that the server has.
    case changedKeys = 1

    /// Saves all keys of the client over any version that the server has, and recreates a deleted record.
    case allKeys = 2
}
