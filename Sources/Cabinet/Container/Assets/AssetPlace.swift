/// An asset and the field of a record that has it.
struct AssetPlace: Sendable {
    let recordID: RecordID
    let key: Record.FieldKey
    var asset: Asset
}
