import Cabinet

/// One send of a mirror: zones, then records to save with the targets of their references first, and deletions last.
///
/// A record that the server refuses is set aside, and the others go on. One that fails because of another record is tried again as long
/// as others succeed.
struct MirrorSend {
    let context: MirrorContext
    private var delivery: MirrorDelivery
    /// The number of changes that were sent.
    private var count = 0

    private var store: MirrorStore { context.store }

    init(_ context: MirrorContext) {
        self.context = context
        delivery = MirrorDelivery(context)
    }

    /// Sends until nothing is left but what is set aside, and what waits for that.
    mutating func run() async throws {
        try await context.count()
        context.state.sent(0, in: context.scope)
        defer { context.state.sent(nil, in: context.scope) }
        // The answer to the last request may be lost: the same request is sent again, before any other.
        if let batch = try await store.batch() { try await deliver(batch) }
        // Another process may have left some.
        context.hasRereads = true
        try await delivery.reread()
        try await MirrorZoneSend(context).run()
        while true {
            let start = count
            (delivery.blocked, delivery.isUnfinished) = ([:], false)
            for isDeletion in [false, true] {
                let pass = MirrorPass(context, isDeletion: isDeletion)
                var batch = try await pass.next(delivery.batchSize)
                delivery.pass = pass
                while let current = batch {
                    try Task.checkCancellation()
                    try await deliver(current)
                    batch = delivery.next
                }
                delivery.pass = nil
                try await endDeletions(await pass.needless, await pass.recreated)
                // A record that a merged edit takes from its owner is not deleted with the owner.
                if delivery.isUnfinished, count > start { break }
            }
            if count > start { continue }
            if delivery.blocked.isEmpty, !delivery.isUnfinished { return }
            if try await delivery.setBlockedAside() { return }
        }
    }

    private mutating func deliver(_ batch: MirrorBatch) async throws {
        count += try await delivery.deliver(batch)
        try await delivery.reread()
        context.state.sent(count, in: context.scope)
    }

    /// Ends deletions that the server does not carry out, and their effects.
    ///
    /// - Parameters:
    ///   - needless: The deletions of records that the server never had.
    ///   - recreated: The records that were deleted and created again.
    private mutating func endDeletions(_ needless: [PendingRecord], _ recreated: [PendingRecord]) async throws {
        if needless.isEmpty, recreated.isEmpty { return }
        let count = try await context.reading { () -> Int? in
            // A fetch may have set one aside since.
            let current = try await store.pending(recreated.map(\.change.recordID))
            let recreated = recreated.filter { $0.change.number == current[$0.change.recordID]?.change.number }
            var write = MirrorWrite()
            write.batch = MirrorBatch(saving: [], deleting: needless, in: context.scope)
            write.events =
                needless.map { .sentDeletion($0.change.recordID) } + recreated.map { .retried($0.change.recordID) }
            if try await context.applySent(write) == nil { return nil }
            return (needless + recreated).count { !$0.change.affected.isEmpty }
        }
        // The effects are changes of their own now.
        if count > 0 {
            self.count += count
            try await delivery.reread()
        }
    }
}
