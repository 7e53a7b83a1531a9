import Cabinet

extension JSONWriter {
    /// Writes a member with a text.
    mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        write(value)
    }

    /// Writes a member with an integer.
    mutating func member(_ key: StaticString, _ value: Int64) {
        self.key(key)
        write(value)
    }

    /// Writes a member with a Boolean value.
    mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        write(value)
    }

    /// Writes a member with an array of texts.
    mutating func member(_ key: StaticString, _ values: [String]) throws(CabinetError) {
        try member(key, values) { writer, value in writer.write(value) }
    }

    /// Writes a member with an array, whose elements a function writes.
    mutating func member<Element>(
        _ key: StaticString, _ values: [Element], _ body: (inout JSONWriter, Element) throws(CabinetError) -> Void
    ) throws(CabinetError) {
        self.key(key)
        try array { writer throws(CabinetError) in for value in values { try body(&writer, value) } }
    }

    /// Writes a member with an object, whose members a function writes.
    mutating func member(
        _ key: StaticString, object body: (inout JSONWriter) throws(CabinetError) -> Void
    ) throws(CabinetError) {
        self.key(key)
        try object(body)
    }
}
