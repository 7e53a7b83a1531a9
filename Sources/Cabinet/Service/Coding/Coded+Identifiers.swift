/// A zone is coded by its name, and one of another owner by both names.
extension RecordZone.ID: Coded {
    private struct Parts: CodedObject {
        var name = ""
        var owner = ""

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("name", &name)
            try coder.part("owner", &owner)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> RecordZone.ID {
        if reader.kind != .object { return RecordZone.ID(zoneName: try reader.readText()) }
        let parts = try Parts.read(from: &reader)
        return RecordZone.ID(zoneName: parts.name, ownerName: parts.owner)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        if ownerName.hasSameScalars(as: Self.defaultOwnerName) { return writer.write(zoneName) }
        try Parts(name: zoneName, owner: ownerName).write(to: &writer)
    }
}

/// A record ID in the default zone is coded by its name alone.
extension RecordID: Coded {
    private struct Parts: CodedObject {
        var name = ""
        var zone = RecordZone.ID.default

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("name", &name)
            try coder.part("zone", &zone)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> RecordID {
        if reader.kind != .object { return RecordID(recordName: try reader.readText()) }
        let parts = try Parts.read(from: &reader)
        return RecordID(recordName: parts.name, zoneID: parts.zone)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        if zoneID == .default { return writer.write(recordName) }
        try Parts(name: recordName, zone: zoneID).write(to: &writer)
    }
}
