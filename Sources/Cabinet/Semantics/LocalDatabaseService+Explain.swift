extension LocalDatabaseService {
    func explain(_ request: ExplainRequest) async throws -> QueryExplanation {
        throw CabinetError(.invalidArguments, "Explaining queries is not supported by this version.")
    }
}
