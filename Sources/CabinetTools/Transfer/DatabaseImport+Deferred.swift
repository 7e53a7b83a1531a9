import Cabinet

extension DatabaseImport {
    /// Imports the deferred lines once more, in passes until one of them helps no further line.
    mutating func saveDeferred(_ report: (TransferEvent) -> Void) async throws {
        var isLast = false
        while position.hasDeferred {
            let (read, remaining) = try await pass(isLast: isLast, report)
            if remaining == 0 { return }
            isLast = read == remaining
        }
    }

    /// Imports each deferred line once.
    ///
    /// - Returns: The number of lines, and of those that remain.
    private mutating func pass(
        isLast: Bool, _ report: (TransferEvent) -> Void
    ) async throws -> (read: Int, remaining: Int) {
        var (read, remaining) = (0, 0)
        var rest = ImportPosition.deferredKeys(of: state.owner)
        while let page = try await deferredPage(in: rest), let last = page.last {
            rest = last.key.after..<rest.upperBound
            var batch = ImportBatch()
            for entry in page { batch.add(entry.item) }
            let start = position
            let outcome = try await apply(batch, isLast: isLast, report) { deferred in
                var step = ImportState.Step(position: start)
                for entry in page where !deferred.contains(entry.item.id) || isLast {
                    step.deferred[entry.key.text] = .some(nil)
                }
                return step
            }
            lossCount += outcome.losses
            read += page.count
            remaining += outcome.deferred.count
        }
        return (read, remaining)
    }

    /// Reads the next deferred lines; `nil` after the last one.
    private func deferredPage(
        in range: Range<StorageKey>
    ) async throws -> [(key: StorageKey, item: ImportBatch.Item)]? {
        let entries = try await state.deferredLines(in: range, limit: batchSize)
        var page: [(key: StorageKey, item: ImportBatch.Item)] = []
        var byteCount = 0
        for entry in entries where byteCount < Self.batchByteLimit {
            let numbers = entry.text.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2, (0...position.offset).contains(numbers[0]),
                (0...(position.offset - numbers[0])).contains(numbers[1])
            else {
                throw CabinetError(.internalError, "The entry \(entry.key) of an import is damaged: \(entry.text)")
            }
            let bytes = numbers[0]..<(numbers[0] + numbers[1])
            let object = try JSONValue(record: try LineReader.line(at: bytes, of: file))
            page.append((entry.key, try item(of: object, bytes)))
            byteCount += bytes.count
        }
        return page.isEmpty ? nil : page
    }
}

extension StorageKey {
    /// The first key after this one: the space is the lowest character of a key.
    fileprivate var after: StorageKey { StorageKey(text + " ") }
}
