/// The reasons for which positions in the change feed, and those of notifications, expire.
enum ExpirationReason {
    static let newerThanStore = "it is newer than the store, which must have been replaced by an older one"
    static let restored = "an older copy of the store was restored since"
    static let copied = "the database was copied from another store since, or is still being copied"
}
