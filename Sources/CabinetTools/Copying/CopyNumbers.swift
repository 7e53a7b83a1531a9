import Cabinet

/// The numbers with which a copy's changes begin.
///
/// Records keep the numbers that they have in the source, because change tags consist of them. The numbers that the
/// target assigns are far higher. Neither the source, if it remains in use, nor another copy of it assigns the same
/// ones. A tag therefore always means the same version of a record. A token of another store is below the beginning, or
/// above all numbers, and has expired.
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

    /// At 1000 changes per second, this many numbers last 34 years.
    ///
    /// A database can be copied eight million times.
    private static let distance: Int64 = 1 << 40

    /// Chooses numbers above all assigned ones.
    init(above last: Int64) throws(CabinetError) {
        // Random, so that two copies of one source differ.
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
