import Cabinet

/// Versions of a local store that follow each other by the answers of one send alone, each of which is about other records.
///
/// Records to send that were read in one of them are still the same in the last one, so the store need not read them again.
struct MirrorVersions {
    private var versions: [MirrorVersion] = []

    /// A page of pending changes lasts for this number of requests at least, unless these have very few records.
    private static let limit = 16

    /// Adds a transaction of the send.
    mutating func add(_ outcome: MirrorOutcome) {
        // Otherwise, a program or a fetch has changed something in between.
        if versions.last != outcome.before { versions = [outcome.before] }
        versions.append(outcome.after)
        if versions.count > Self.limit { versions.removeFirst() }
    }

    /// Returns the version in which the records of a request are those that were read; `nil` if some may be others.
    func version(of batch: MirrorBatch) -> MirrorVersion? {
        let read = batch.versions
        return !read.isEmpty && read.allSatisfy(versions.contains) ? versions.last : nil
    }
}
