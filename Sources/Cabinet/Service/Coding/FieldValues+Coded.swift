/// Fields are an object of their values; a field without a value is null.
extension FieldValues: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> FieldValues {
        let names = try reader.readFieldNames()
        var values: [FieldValue?] = []
        values.reserveCapacity(names.count)
        try reader.memberValues { reader throws(CabinetError) in
            values.append(try FieldValue?.read(from: &reader))
        }
        return FieldValues(names: names, values: values)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try writer.object { writer throws(CabinetError) in
            for (position, name) in names.names.enumerated() {
                writer.key(name)
                try values[position].write(to: &writer)
            }
        }
    }
}
