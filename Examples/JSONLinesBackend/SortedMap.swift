/// A dictionary in the order of its keys, in two arrays.
struct SortedMap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private(set) var keys: [Key] = []
    private(set) var values: [Value] = []

    subscript(key: Key) -> Value? {
        get {
            let index = firstIndex(from: key)
            return index < keys.count && keys[index] == key ? values[index] : nil
        }
        set {
            let index = firstIndex(from: key)
            let old = index..<(index < keys.count && keys[index] == key ? index + 1 : index)
            keys.replaceSubrange(old, with: newValue == nil ? [] : [key])
            values.replaceSubrange(old, with: newValue.map { [$0] } ?? [])
        }
    }

    /// The index of the first key that is not less than the given one.
    func firstIndex(from key: Key) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
