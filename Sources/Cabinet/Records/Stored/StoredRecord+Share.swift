/// The share that covers a record.
///
/// Each record of a shared hierarchy, and the share itself, has a reference to the share in a hidden field. A store finds these records
/// by the index that every reference has. The root's reference has the action `nullify`, so the root loses its share with the share.
extension StoredRecord {
    /// The hidden field with the reference to the share.
    static let shareKey = "_share"

    /// The type of the hidden field.
    static let shareField = StoredField(name: shareKey, type: .reference)

    /// The name of the share that covers the record; `nil` if no hierarchy with the record is shared.
    var shareName: String? { fields.shareReference?.recordID.recordName }

    /// The name of the share whose root the record is.
    var ownShareName: String? {
        guard let reference = fields.shareReference, reference.action == .nullify else { return nil }
        return reference.recordID.recordName
    }

    /// Sets the share that covers the record.
    ///
    /// - Parameters:
    ///   - name: The name of the share; `nil` for none.
    ///   - isRoot: Whether the record is the share's root.
    mutating func setShare(_ name: String?, isRoot: Bool) {
        let reference = name.map {
            Reference(recordID: RecordID(recordName: $0, zoneID: recordID.zoneID), action: isRoot ? .nullify : .none)
        }
        if fields.shareReference == reference { return }
        fields[Self.shareKey] = reference.map { .reference($0) }
    }
}

extension FieldValues {
    fileprivate var shareReference: Reference? {
        // Most lists of names have no hidden field.
        guard names.visible != nil, case .reference(let reference)? = self[StoredRecord.shareKey] else { return nil }
        return reference
    }
}
