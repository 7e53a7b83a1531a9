/// A dictionary in the order of its keys.
///
/// The elements are stored in chunks. A changed copy shares all chunks but the changed ones with the original.
struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    fileprivate struct Chunk: Sendable {
        var keys: [Key] = []
        var values: [Value] = []
    }

    /// The chunks in the order of their keys; none is empty.
    private var chunks: [Chunk] = []

    private(set) var count = 0

    /// The maximum number of elements of a chunk, which a changed copy has to copy.
    private static var chunkSize: Int { 128 }
}

extension SortedMap {
    /// The value of a key.
    ///
    /// - Complexity: O(log *n*).
    subscript(key: Key) -> Value? {
        get {
            let chunk = chunkIndex(of: key)
            guard chunk < chunks.count else { return nil }
            let keys = chunks[chunk].keys
            let index = keys.lowerBound(of: key)
            return index < keys.count && keys[index] == key ? chunks[chunk].values[index] : nil
        }
        set {
            if let newValue { set(newValue, for: key) } else { remove(key) }
        }
    }

    /// All values in the order of their keys.
    var values: some Sequence<Value> { elements.lazy.map { $0.value } }

    /// All elements in the order of their keys.
    var elements: Elements { Elements(chunks: chunks) }

    /// Returns the elements whose keys are not less than the given one, in the order of their keys.
    func elements(from key: Key) -> Elements {
        let chunk = chunkIndex(of: key)
        let index = chunk < chunks.count ? chunks[chunk].keys.lowerBound(of: key) : 0
        return Elements(chunks: chunks, chunk: chunk, index: index)
    }

    /// Changes the value of a key without a copy of it.
    ///
    /// - Parameter initial: The value to change if the key does not exist.
    mutating func update(_ key: Key, default initial: Value, _ change: (inout Value) -> Void) {
        let chunk = chunkIndex(of: key)
        if chunk < chunks.count {
            let index = chunks[chunk].keys.lowerBound(of: key)
            if chunks[chunk].keys[index] == key { return change(&chunks[chunk].values[index]) }
        }
        var value = initial
        change(&value)
        set(value, for: key)
    }

    /// A sequence of elements in the order of their keys.
    struct Elements: Sequence, IteratorProtocol {
        fileprivate let chunks: [Chunk]
        fileprivate var chunk = 0
        fileprivate var index = 0

        mutating func next() -> (key: Key, value: Value)? {
            guard chunk < chunks.count else { return nil }
            let element = (chunks[chunk].keys[index], chunks[chunk].values[index])
            index += 1
            if index == chunks[chunk].keys.count { (chunk, index) = (chunk + 1, 0) }
            return element
        }

        /// The key of the next element.
        var key: Key? { chunk < chunks.count ? chunks[chunk].keys[index] : nil }

        /// The chunk that begins with the next element, if it is the same one in memory for two equal chunks.
        fileprivate var chunkIdentity: UnsafePointer<Value>? {
            guard chunk < chunks.count, index == 0 else { return nil }
            return chunks[chunk].values.withUnsafeBufferPointer { $0.baseAddress }
        }

        fileprivate mutating func skipChunk() { chunk += 1 }
    }

    /// Returns the index of the chunk that has the key, if the key exists, or of the chunk to insert it into.
    private func chunkIndex(of key: Key) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].keys.last, last < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func set(_ value: Value, for key: Key) {
        var chunk = chunkIndex(of: key)
        if chunk == chunks.count {
            // The last chunk takes keys that come after all others.
            if chunks.isEmpty || chunks[chunk - 1].keys.count == Self.chunkSize {
                chunks.append(Chunk())
            } else {
                chunk -= 1
            }
        }
        let index = chunks[chunk].keys.lowerBound(of: key)
        if index < chunks[chunk].keys.count, chunks[chunk].keys[index] == key {
            chunks[chunk].values[index] = value
            return
        }
        chunks[chunk].keys.insert(key, at: index)
        chunks[chunk].values.insert(value, at: index)
        count += 1
        if chunks[chunk].keys.count > Self.chunkSize { split(chunk) }
    }

    private mutating func split(_ chunk: Int) {
        let half = chunks[chunk].keys.count / 2
        let upper = Chunk(keys: Array(chunks[chunk].keys[half...]), values: Array(chunks[chunk].values[half...]))
        chunks[chunk].keys.removeSubrange(half...)
        chunks[chunk].values.removeSubrange(half...)
        chunks.insert(upper, at: chunk + 1)
    }

    private mutating func remove(_ key: Key) {
        let chunk = chunkIndex(of: key)
        guard chunk < chunks.count else { return }
        let index = chunks[chunk].keys.lowerBound(of: key)
        guard index < chunks[chunk].keys.count, chunks[chunk].keys[index] == key else { return }
        chunks[chunk].keys.remove(at: index)
        chunks[chunk].values.remove(at: index)
        count -= 1
        if chunks[chunk].keys.isEmpty { chunks.remove(at: chunk) }
    }
}

extension SortedMap where Value: Equatable {
    /// Returns the values that differ from those of an earlier or later state of the map.
    ///
    /// A changed value is among both.
    ///
    /// - Complexity: O(1) for each chunk that both states share, and O(*n*) in the number of elements of the others.
    func difference(from other: Self) -> (removed: [Value], added: [Value]) {
        var (removed, added): ([Value], [Value]) = ([], [])
        var (old, new) = (other.elements, elements)
        while true {
            // A chunk that both states share begins where all earlier elements of both have been read.
            if let chunk = old.chunkIdentity, chunk == new.chunkIdentity {
                old.skipChunk()
                new.skipChunk()
                continue
            }
            switch (old.key, new.key) {
            case (nil, nil): return (removed, added)
            case (let left?, let right?) where left == right:
                if let before = old.next()?.value, let after = new.next()?.value, before != after {
                    removed.append(before)
                    added.append(after)
                }
            case (let left?, let right) where right.map { left < $0 } ?? true:
                if let before = old.next()?.value { removed.append(before) }
            default:
                if let after = new.next()?.value { added.append(after) }
            }
        }
    }
}

extension Array where Element: Comparable {
    /// Returns the index of the first element that is not less than the given one, in an array in ascending order.
    fileprivate func lowerBound(of element: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
