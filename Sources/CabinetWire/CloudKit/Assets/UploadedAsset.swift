import Cabinet

/// The values of uploaded assets, each for a field of a record.
typealias UploadedValues = [UploadedAsset: AssetReceipt]

/// An asset that was uploaded for a field.
struct UploadedAsset: Hashable {
    let recordID: RecordID
    let key: Record.FieldKey
    let asset: StoredAsset

    init(_ slot: AssetSlot, _ asset: StoredAsset) {
        recordID = slot.recordID
        key = slot.fieldKey
        self.asset = asset
    }

    init(recordID: RecordID, key: Record.FieldKey, asset: StoredAsset) {
        self.recordID = recordID
        self.key = key
        self.asset = asset
    }
}

/// The server's description of uploaded bytes, which becomes the value of a field.
struct AssetReceipt {
    let receipt: String
    let size: Int64
    let fileChecksum: String
    let wrappingKey: String?
    let referenceChecksum: String?

    init(_ node: JSONNode) throws(CabinetError) {
        receipt = try node.required("receipt").string()
        size = try node.required("size").int64()
        fileChecksum = try node.required("fileChecksum").string()
        wrappingKey = try node["wrappingKey"]?.string()
        referenceChecksum = try node["referenceChecksum"]?.string()
    }

    func write(to writer: inout JSONWriter) {
        writer.member("receipt", receipt)
        writer.member("size", size)
        writer.member("fileChecksum", fileChecksum)
        if let wrappingKey { writer.member("wrappingKey", wrappingKey) }
        if let referenceChecksum { writer.member("referenceChecksum", referenceChecksum) }
    }
}
