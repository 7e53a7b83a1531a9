import Cabinet

/// The numbers with which a copy's changes begin.
///
/// Records keep the numbers that they have in the source, because change tags consist of them. The numbers that the target gives out
/// are far above: neither the source, should it be used further, nor another copy of it gives out the same ones. So a tag always means
/// the same version of a record, and a token of another store is below the beginning, or above all numbers, and has expired.
///
/// ```
/// 1 … source's last   …   record limit   …   beginning   …
///     records             the copy's own     after the copy
/// ```
struct CopyNumbers {
    /// The highest number that a record of the source may have.
    let recordLimit: Int64

    /// The number with which changes begin after the copy.
    let beginning: Int64

    /// So many numbers take 34 years if there are 1000 changes a second, and a database can be copied so many times eight million times.
    private static let distance: Int64 = 1 << 40

    /// Chooses numbers above all that are in use.
    init(above last: Int64) throws(CabinetError) {
        // Not the same for two copies of one source.
        let (limit, overflow) = last.addingReportingOverflow(Self.distance + .random(in: 0..<Self.distance))
        guard !overflow, limit < Int64.max / 2 else {
            throw CabinetError(
                .limitExceeded, "The source has used too many sequence numbers to be copied: the last one is \(last).")
        }
        recordLimit = limit
        beginning = limit + Self.distance
    }
}

extension StorageTransaction {
    /// Reserves numbers up to the given one.
    func reserveSequenceNumbers(upTo number: Int64) async throws {
        let last = try await lastSequenceNumber()
        if number > last { _ = try await reserveSequenceNumbers(Int(clamping: number - last)) }
    }
}
