/// Where an asset is: in a field of a record.
struct AssetPlace: Sendable {
    let recordID: RecordID
    let key: Record.FieldKey
    var asset: Asset
}
