@testable import Cabinet

extension RequestSamples {
    private typealias Values = SampleValues

    static let queries: [RequestSamples] = [
        RequestSamples(
            QueryRecordsRequest(
                scope: .public, query: Values.query, zoneID: Values.foreignZone,
                position: QueryPosition(values: Values.fields.map(\.1), insertionNumber: 3), desiredKeys: ["name"],
                resultsLimit: 10, isOrdered: false, observes: true, reads: Values.reads),
            QueryRecordsRequest(query: Query(recordType: "Items")),
            responses: [
                QueryRecordsRequest.Response(
                    records: [Values.stored, Values.partial],
                    position: QueryPosition(values: [.string("Milk"), nil], insertionNumber: .max),
                    mayHaveAssets: false,
                    basis: Values.basis)
            ]),
        RequestSamples(
            AggregateRequest(
                scope: .shared, query: Values.query, zoneID: Values.zone, aggregate: .average, key: "number",
                group: "list", contributionLimit: 10_000),
            AggregateRequest(query: Query(recordType: "Items")),
            responses: [
                AggregateRequest.Response(
                    groups: Values.fields.map { AggregateGroup(value: $0.1, result: .int64(1)) }
                        + [AggregateGroup(value: .int64(1), result: nil)],
                    contributions: [
                        AggregateContribution(recordID: Values.odd, value: .double(0.5), group: .string("Milk")),
                        AggregateContribution(recordID: Values.milk),
                    ],
                    basis: Values.basis),
                AggregateRequest.Response(groups: [AggregateGroup(value: nil, result: .int64(1))]),
            ]),
        RequestSamples(
            ExplainQueryRequest(query: Values.query, zoneID: Values.zone),
            responses: [
                QueryExplanation(
                    pushedDown: .field("name") == "Milk", evaluated: Values.filter,
                    access: [.index(name: "Items_name", fields: ["name", "number"]), .scan, .nothing],
                    ordering: .byIndex, details: ["SEARCH Items USING INDEX"]),
                QueryExplanation(pushedDown: nil, evaluated: nil, access: [], ordering: .sorted),
            ]),
        RequestSamples(
            ValidateQueryRequest(query: Values.query, zoneID: Values.zone, desiredKeys: ["name", "tags"]),
            responses: [EmptyResponse()]),
    ]

    /// A part of a migration.
    static let step = MigrationStep(
        name: "1 due", before: MigrationState(step: 1, recordCount: 400, position: 5023),
        after: MigrationState(step: 2, isDone: true))

    static let schema: [RequestSamples] = [
        RequestSamples(
            FetchMigrationsRequest(scope: .public),
            responses: [
                FetchMigrationsRequest.Response(states: ["1 due": step.after, "2": MigrationState()], isStrict: true),
                FetchMigrationsRequest.Response(),
            ]),
        RequestSamples(FetchSchemaRequest(scope: .public), responses: [wholeSchema, Schema()]),
        RequestSamples(
            ModifySchemaRequest(scopes: [.public, .private, .shared], schema: wholeSchema, isComplete: true),
            responses: [EmptyResponse()]),
        RequestSamples(
            ChangeSchemaRequest(
                scopes: [.public, .private], part: SchemaPart("Items", "due"), change: .rename("dueDate"), step: step),
            ChangeSchemaRequest(scopes: [.public], part: SchemaPart("Items"), change: .drop(losingAtMost: nil)),
            ChangeSchemaRequest(scopes: [.public], part: SchemaPart("Items"), change: .drop(losingAtMost: 3)),
            ChangeSchemaRequest(
                scopes: [.public], part: SchemaPart("Items", "n"), change: .setType(.list(of: .double))),
            responses: [
                ChangeSchemaRequest.Response(scopes: [.private]), ChangeSchemaRequest.Response(),
                ChangeSchemaRequest.Response(lossCount: 3),
            ]),
    ]

    /// A schema with a field of each type.
    private static let wholeSchema: Schema = {
        var fields: [String: Schema.Field] = [:]
        for type in FieldType.Scalar.allCases {
            fields["a\(fields.count)"] = Schema.Field(FieldType(type))
            fields["a\(fields.count)"] = Schema.Field(.list(of: type))
        }
        fields["name"] = Schema.Field(.string, [.queryable, .sortable, .searchable])
        fields["list"] = Schema.Field(.reference, .queryable, onDelete: .deny)
        let items = Schema.RecordType(
            fields: fields, indexes: [["list", "name"], ["name", "list"]], uniqueKeys: [["name"], ["list", "name"]],
            grants: ["_world": [.read], "editors": [.read, .create, .write], "_icloud": []])
        return Schema(recordTypes: ["Items": items, "Lists": Schema.RecordType()], roles: ["editors", "auditors"])
    }()
}
