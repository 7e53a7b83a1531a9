/// The effect of a local deletion on another record by a delete rule: the record is deleted too, or loses the reference.
///
/// The server applies its own delete rules when it deletes the record that is the cause. So the effect is not sent: it waits for the
/// answer, and is reverted if the cause returns.
package struct DeletionEffect: Sendable {
    /// The record whose deletion has this effect.
    package var cause: RecordID

    /// The record without the effect; `nil` if it is the server's version, because nothing else of it has changed.
    var record: Record?

    /// Whether the server has deleted the cause, so that only the server knows what has become of this record.
    package var isCarriedOut = false

    init(cause: RecordID, record: Record?) {
        (self.cause, self.record) = (cause, record)
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
