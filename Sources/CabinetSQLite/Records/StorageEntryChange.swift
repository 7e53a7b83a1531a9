import Cabinet

/// An entry to store, or to remove if it has no text.
struct StorageEntryChange {
    let key: StorageKey
    let text: String?
}
