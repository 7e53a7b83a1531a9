import CSQLite

/// Memory for texts that are bound to statements which run immediately.
///
/// SQLite would allocate memory for a copy of each text, which costs about as much as storing it.
final class TextBuffer {
    private let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 4096)
    private var count = 0

    deinit {
        bytes.deallocate()
    }

    /// Frees the texts.
    ///
    /// Bind new ones to the statements that used them before they run again.
    func clear() {
        count = 0
    }

    /// Copies a text that is not empty.
    ///
    /// - Returns: `nil` if the buffer is full.
    fileprivate func copy(_ text: UnsafeBufferPointer<CChar>) -> UnsafePointer<CChar>? {
        guard !text.isEmpty, text.count <= bytes.count - count else { return nil }
        let place = bytes.extracting(count..<count + text.count)
        _ = place.initialize(fromContentsOf: text)
        count += text.count
        return UnsafePointer(place.baseAddress)
    }
}

extension Statement {
    /// Binds a text for one run.
    ///
    /// - Parameter buffer: The buffer that holds the text until it is cleared.
    func bind(_ value: String, at index: Int32, in buffer: TextBuffer) throws {
        var value = value
        let code = value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                buffer.copy(text).map {
                    sqlite3_bind_text64(pointer, index, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
                }
            }
        }
        // SQLite copies a text that does not fit into the buffer.
        guard let code else { return try bind(value, at: index) }
        try check(code)
    }

    /// Binds a text or NULL for one run.
    func bind(_ value: String?, at index: Int32, in buffer: TextBuffer) throws {
        if let value { try bind(value, at: index, in: buffer) } else { try bindNull(at: index) }
    }
}
