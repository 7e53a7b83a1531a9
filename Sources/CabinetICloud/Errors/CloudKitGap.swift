import Cabinet

/// A part of Cabinet that CloudKit lacks.
///
/// Every refusal is created here, so that its text begins with the sentence that names the part.
enum CloudKitGap: String, CaseIterable {
    case aggregates = "CloudKit computes no counts and no other aggregates."
    case explanations = "CloudKit explains no queries."
    case validation = "CloudKit checks no query without running it."
    case schema = "CloudKit shows and changes no schema; its console does."
    case migrations = "CloudKit has no migrations."
    case liveChanges = "CloudKit returns no changes of a query's result."
    case notifications = "CloudKit keeps no notifications; it delivers them to the program."
    case query = "CloudKit cannot say this query."
    case deleteRules = "CloudKit has no delete rules but none and deleteSelf."
    case preconditions = "CloudKit checks in a transaction the records that it saves, and nothing else."
    case entries = "CloudKit stores records alone."
    case tokens = "CloudKit returns no change token with a save."
    case encryption = "CloudKit encrypts values itself, and takes none that are encrypted. Use no key store."
    case oneTimeURLs = "CabinetICloud lacks one-time URLs."
    case accessRequests = "The client of iCloud asks for access to no shares."
    case repetition = "CloudKit does not recognize a request that is sent again."

    /// Returns the error that names the part and, after it, the detail.
    func error(
        _ detail: String = "", _ code: CabinetError.Code = .serverRejectedRequest, recordID: RecordID? = nil,
        fieldKey: Record.FieldKey? = nil
    ) -> CabinetError {
        CabinetError(
            code, detail.isEmpty ? rawValue : "\(rawValue) \(detail)", recordID: recordID, fieldKey: fieldKey)
    }
}
