/// The effect of a local deletion on another record by a delete rule: the record is deleted too, or loses the reference.
///
/// The server applies its own delete rules when it deletes the record that is the cause. So the effect is not sent: it waits for the
/// answer, and is reverted if the cause returns.
///
/// The program may save a record again that a cascade has deleted, or that is the cause, before the server has answered:
///
/// - The record with the effect is a new one from then on. It replaces the server's version, as an edit that sets every field, and so is
///   sent before the deletion. It no longer refers to the cause, so the server's cascade passes it over. If the cascade comes first, it
///   deletes the version before, and the record is created. The answer about the cause, whether the server has deleted or refused it,
///   does not change the record. Neither does the deletion of the version before by another client, also if deletions win. An edit of it
///   is merged.
/// - The records that the cascade has deleted below that record stay deleted, except for those that another client has changed. The
///   server's cascade no longer reaches them, so their deletions are sent after the answer about the cause. A reference to the record that
///   was cleared stays cleared, too.
/// - The cause replaces the server's version too. Its deletion is not sent, and so each effect becomes a change of its own.
package struct DeletionEffect: Sendable {
    /// The record whose deletion has this effect.
    package var cause: RecordID

    /// The record that this one has referred to and that was deleted with the cause, if it is another one; `nil` also if another client
    /// has changed this record since, which then returns if the target was created again.
    var target: RecordID?

    /// The record without the effect; `nil` if it is the server's version, because nothing else of it has changed.
    var record: Record?

    /// Whether the server has deleted the cause, so that only the server knows what has become of this record.
    package var isCarriedOut = false

    init(cause: RecordID, target: RecordID? = nil, record: Record?) {
        (self.cause, self.target, self.record) = (cause, target, record)
    }

    /// Adds an edit of the record with the effect.
    mutating func add(_ edit: (old: StoredRecord, new: StoredRecord), ancestor: Record?) {
        guard var own = record ?? ancestor else { return }
        let (old, new) = (edit.old.fields.visible, edit.new.fields.visible)
        for key in Set(old.keys).union(new.keys) where !FieldValue.isSame(old[key], new[key]) {
            own.setFieldValue(new[key], forKey: key)
        }
        if edit.old.parent != edit.new.parent { own.parent = edit.new.parent }
        record = own
    }
}
