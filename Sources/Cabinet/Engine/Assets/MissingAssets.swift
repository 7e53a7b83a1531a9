/// The error if a transaction needs bytes that neither the store nor an upload has.
struct MissingAssets: Error {
    let assets: Set<StoredAsset>
}
