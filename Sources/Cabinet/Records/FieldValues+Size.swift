extension FieldValues {
    /// The approximate number of bytes of the names and values.
    package var byteCount: Int {
        var count = 0
        forEach { key, value in count += key.utf8.count + value.byteCount }
        return count
    }
}

extension FieldValue {
    /// The approximate number of bytes of the value.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .int64, .double, .timestamp: 8
        case .bytes(let data): data.count
        case .reference(let reference): reference.recordID.recordName.utf8.count
        case .location: 64
        case .asset: 0
        case .encrypted(let value): value.ciphertext?.count ?? 0
        case .list(let list): list.elements.reduce(0) { $0 + $1.byteCount }
        }
    }
}
