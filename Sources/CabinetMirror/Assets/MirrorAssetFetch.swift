import Cabinet

/// One walk over the records whose assets are to be fetched at once.
///
/// The local store remembers these records, so a walk that is interrupted, also by the end of the program, goes on with the next one.
struct MirrorAssetFetch {
    private let context: MirrorContext
    /// The number of bytes that fit without the removal of others; `nil` before it is needed.
    private var free: Int64?
    private var failure: CabinetError?
    private var transientFailures = 0

    private static let pageSize = 50
    /// The number of copies at once, and of failures such as those of the network after which the walk ends.
    private static let copyLimit = 4

    /// An asset of a record of a page.
    private struct Item: Sendable {
        /// The position of the record in its page.
        let position: Int
        let asset: StoredAsset
    }

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Fetches until all assets that fit are here.
    ///
    /// - Throws: The first error of a copy that may succeed later, after the other copies.
    mutating func run() async throws {
        var last: WantedAssets?
        while transientFailures < Self.copyLimit {
            try Task.checkCancellation()
            let page = try await context.store.wantedAssets(after: last, limit: Self.pageSize)
            guard let end = page.last else { break }
            try await fetch(page)
            last = end
        }
        // The program may have saved assets in between.
        if free != nil { try await context.assets.evict() }
        if let failure { throw failure }
    }

    private mutating func fetch(_ page: [WantedAssets]) async throws {
        // Another process may copy the same page: in another order, they share the work.
        let items = page.indices.flatMap { position in
            page[position].missing.map { Item(position: position, asset: $0) }
        }.shuffled()
        if !items.isEmpty, free == nil { free = try await context.assets.freeBytes() }
        var counts = page.map(\.missing.count)
        await withTaskGroup(of: (Item, Result<Bool, CabinetError>).self) { group in
            var running = 0
            for item in items {
                if running == Self.copyLimit, let (item, result) = await group.next() {
                    running -= 1
                    take(result, of: item, &counts)
                }
                if Task.isCancelled || transientFailures >= Self.copyLimit { break }
                guard item.asset.size <= free ?? 0 else {
                    // It is fetched by its first read.
                    counts[item.position] -= 1
                    continue
                }
                free? -= item.asset.size
                running += 1
                let (assets, recordID) = (context.assets, page[item.position].recordID)
                group.addTask {
                    do {
                        return (item, .success(try await assets.copy(item.asset, of: recordID)))
                    } catch {
                        return (item, .failure(CabinetError.wrapping(error)))
                    }
                }
            }
            if transientFailures >= Self.copyLimit { group.cancelAll() }
            for await (item, result) in group { take(result, of: item, &counts) }
        }
        let ended = page.indices.filter { counts[$0] == 0 }.map { page[$0] }
        if !ended.isEmpty { try await context.endAssets(of: ended) }
    }

    private mutating func take(_ result: Result<Bool, CabinetError>, of item: Item, _ counts: inout [Int]) {
        switch result {
        case .success(let isCopied):
            counts[item.position] -= 1
            if !isCopied { free? += item.asset.size }
        case .failure(let error):
            free? += item.asset.size
            if error.isOfMissingAsset {
                counts[item.position] -= 1
            } else {
                failure = failure ?? error
                if error.isTransient { transientFailures += 1 }
            }
        }
    }
}

extension CabinetError {
    /// Whether the server no longer has the asset, so that only a later version of the record can.
    var isOfMissingAsset: Bool {
        [.assetNotAvailable, .unknownItem, .zoneNotFound, .userDeletedZone].contains(code)
    }
}
