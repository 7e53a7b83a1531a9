package import Cabinet

extension RecordJSON {
    /// The members of a record's object that are texts: its names, and what the store assigns.
    private static let texts = [
        "recordName", "recordType", "zone", "parent", "changeTag", "created", "createdBy", "modified", "modifiedBy",
    ]

    /// The members of the objects for values; the first one says the type.
    private static let valueMembers = [
        ["timestamp", "seconds"], ["bytes"], ["reference", "action"], ["location"], ["asset", "size", "file"],
        ["file", "asset", "size"], ["encrypted", "type"], ["double"], ["list"],
    ]

    private static let locationMembers = [
        "latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy", "course", "speed", "timestamp",
    ]

    /// Throws if the object of a record has a member that is not read, such as a misspelled one, or a name that is not a text.
    ///
    /// - Parameter others: The members that the object may have besides those of every record.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the nearest member.
    package static func checkMembers(of object: JSONValue, besides others: [String] = []) throws(CabinetError) {
        try check(object, members: texts + ["fields"] + others, of: "a record")
        for key in texts {
            guard let value = object[key], value != .null, value.string == nil else { continue }
            throw CabinetError(.invalidArguments, "\"\(key)\" is \(value.description.prefix(80)); expected a text.")
        }
    }

    /// Throws if the object for a value has a member that is not read.
    static func checkMembers(ofValue json: JSONValue, of key: Record.FieldKey) throws(CabinetError) {
        guard let known = valueMembers.first(where: { json[$0[0]] != nil }) else { return }
        try check(json, members: known, of: "the value of '\(key)'")
        if let location = json["location"] {
            try check(location, members: locationMembers, of: "the location in '\(key)'")
        }
    }

    private static func check(
        _ object: JSONValue, members known: [String], of owner: String
    ) throws(CabinetError) {
        guard case .object(let members) = object,
            let unknown = members.first(where: { !known.contains($0.key) })?.key
        else { return }
        let advice = known.nearest(to: unknown).map { "Did you mean '\($0)'?" }
        throw CabinetError(
            .invalidArguments,
            "'\(unknown.prefix(80))' is not a member of \(owner). "
                + (advice ?? "Its members are \(known.joined(separator: ", "))."))
    }
}
