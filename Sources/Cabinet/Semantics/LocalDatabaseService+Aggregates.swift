extension LocalDatabaseService {
    func value(_ request: AggregateRequest) async throws -> FieldValue? {
        throw CabinetError(.invalidArguments, "Aggregates are not supported by this version.")
    }

    func counts(_ request: ValueCountsRequest) async throws -> [ValueCount] {
        throw CabinetError(.invalidArguments, "Grouped counts are not supported by this version.")
    }
}
