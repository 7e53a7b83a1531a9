/// The encoded parameters of a statement for libpq.
struct EncodedParameters {
    private let types: [UInt32]
    private let lengths: [Int32]
    private let formats: [Int32]
    /// The bytes of all values, and the offset of each value, or `nil` for null.
    private let bytes: [UInt8]
    private let starts: [Int?]

    init(_ values: [SQLValue]) {
        types = values.map(\.typeID)
        formats = Array(repeating: 1, count: values.count)
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            let start = bytes.count
            value.append(to: &bytes)
            starts.append(value.isNull ? nil : start)
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // The pointer to an empty value at the end must be valid, too.
        bytes.append(0)
        self.bytes = bytes
        self.starts = starts
        self.lengths = lengths
    }

    /// Calls a closure with the count, the types, the values, their lengths and their formats.
    func withPointers<Output>(
        _ body: (Int32, [UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]) -> Output
    ) -> Output {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = starts.map { offset in offset.flatMap { offset in start.map { $0 + offset } } }
            return body(Int32(clamping: types.count), types, values, lengths, formats)
        }
    }
}
