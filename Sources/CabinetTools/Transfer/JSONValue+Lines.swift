import Cabinet

/// The kinds of lines in the file of an import, besides those of deletions.
extension JSONValue {
    /// The schema of a line with one.
    var schemaText: String? { self["recordName"] == nil ? self["schema"]?.string : nil }

    /// The name of the zone of a line that has only a zone, and its keys with their owner.
    var zoneName: String? {
        guard case .object(let members) = self,
            members.allSatisfy({ ["zone", "owner", "keys"].contains($0.key) })
        else { return nil }
        return self["zone"]?.string
    }

    /// Returns the name and the type of a line with a record, after a check of its members.
    func recordNameAndType() throws(CabinetError) -> (name: String, type: Record.RecordType) {
        // Lines that are converted from rows say that they update records.
        try RecordJSON.checkMembers(of: self, besides: ["updates", "owner"])
        guard let name = self["recordName"]?.string, let type = self["recordType"]?.string else {
            throw CabinetError(.invalidArguments, "a record needs \"recordName\" and \"recordType\".")
        }
        return (name, type)
    }
}
