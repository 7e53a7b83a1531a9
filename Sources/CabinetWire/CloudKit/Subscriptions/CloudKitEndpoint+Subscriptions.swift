import Cabinet

extension CloudKitEndpoint {
    /// Answers `subscriptions/list`.
    func listSubscriptions() async throws -> CloudKitResponse {
        let results = try await perform(FetchSubscriptionsRequest(in: scope)).results
        return try subscriptionsResponse(results.map { ($0, try? $0.get().subscriptionID) })
    }

    /// Answers `subscriptions/lookup`.
    func lookUpSubscriptions(_ root: JSONNode) async throws -> CloudKitResponse {
        var request = FetchSubscriptionsRequest(in: scope)
        let ids = try Self.items(root, "subscriptions").map { item throws(CabinetError) in
            try item.required("subscriptionID").string()
        }
        request.subscriptionIDs = ids
        let results = try await perform(request).results
        return try subscriptionsResponse(zip(results, ids).map { ($0, $1) })
    }

    /// Answers `subscriptions/modify`, whose operations are carried out in order, each by itself.
    func modifySubscriptions(_ root: JSONNode) async throws -> CloudKitResponse {
        let schema = try await perform(FetchSchemaRequest(in: scope))
        let fields = schema.recordTypes.mapValues { $0.fields.mapValues(\.type) }
        var operations: [SubscriptionOperation] = []
        var seen: Set<Subscription.ID> = []
        for item in try Self.items(root, "operations") {
            let operation = try SubscriptionOperation(item, fields: fields, mapZone: canonical)
            guard seen.insert(operation.id).inserted else {
                throw item.error(
                    expected: "another subscription, because the request names '\(operation.id)' twice")
            }
            operations.append(operation)
        }
        var results: [(Result<Subscription, CabinetError>?, Subscription.ID)] = []
        for operation in operations {
            do {
                results.append((try await result(of: operation), operation.id))
            } catch let error as CabinetError where !results.isEmpty {
                results.append((.failure(error), operation.id))
            }
        }
        return try subscriptionsResponse(results.map { ($0.0, $0.1) })
    }

    /// Carries out an operation; a deletion that succeeded has no result.
    private func result(of operation: SubscriptionOperation) async throws -> Result<Subscription, CabinetError>? {
        switch operation {
        case .create(let subscription): return try await create(subscription)
        case .update(let subscription): return try await save(subscription)
        case .delete(let id):
            var request = ModifySubscriptionsRequest(in: scope)
            request.subscriptionIDsToDelete = [id]
            return (try await perform(request).deleteErrors.first ?? nil).map(Result.failure)
        }
    }

    private func save(_ subscription: Subscription) async throws -> Result<Subscription, CabinetError> {
        var request = ModifySubscriptionsRequest(in: scope)
        request.subscriptionsToSave = [subscription]
        return try await perform(request).saveResults.first
            ?? .failure(CabinetError(.internalError, "The service gave no result."))
    }

    /// Creates a subscription, or returns the existing one of the same ID.
    ///
    /// The service has one subscription of a record type for the same changes, and fails for another.
    private func create(_ subscription: Subscription) async throws -> Result<Subscription, CabinetError> {
        let existing = try await perform(FetchSubscriptionsRequest(in: scope)).results.compactMap { try? $0.get() }
        if let same = existing.first(where: { $0.subscriptionID == subscription.subscriptionID }) {
            return .success(same)
        }
        if case .query(let new) = subscription {
            for case .query(let old) in existing where old.recordType == new.recordType {
                if old.querySubscriptionOptions.firings == new.querySubscriptionOptions.firings,
                    old.filter == new.filter,
                    old.zoneID == new.zoneID
                {
                    return .failure(
                        CabinetError(
                            .serverRecordChanged,
                            "CloudKit Web Services has one subscription for the same changes of a record type, which is '\(old.subscriptionID)'."
                        ))
                }
            }
        }
        return try await save(subscription)
    }

    private func subscriptionsResponse(
        _ results: [(result: Result<Subscription, CabinetError>?, id: Subscription.ID?)]
    ) throws -> CloudKitResponse {
        let values = recordWriter().values
        return try CloudKitResponse { writer throws(CabinetError) in
            try writer.member("subscriptions", results) { writer, item throws(CabinetError) in
                switch item.result?.flatMap(CloudKitSubscription.checked) {
                case .success(let subscription): try CloudKitSubscription.write(subscription, by: values, to: &writer)
                case .failure(let error):
                    try writer.object { writer in
                        if let id = item.id { writer.member("subscriptionID", id) }
                        let exists = error.code == .serverRecordChanged
                        CloudKitFailure(error: error, code: exists ? .exists : nil).writeMembers(to: &writer)
                    }
                case nil:
                    try writer.object { writer in
                        if let id = item.id { writer.member("subscriptionID", id) }
                        writer.member("deleted", true)
                    }
                }
            }
        }
    }
}

/// An operation of `subscriptions/modify`.
private enum SubscriptionOperation {
    case create(Subscription)
    case update(Subscription)
    case delete(Subscription.ID)

    var id: Subscription.ID {
        switch self {
        case .create(let subscription), .update(let subscription): subscription.subscriptionID
        case .delete(let id): id
        }
    }

    init(
        _ node: JSONNode, fields: [Record.RecordType: [Record.FieldKey: FieldType]],
        mapZone: @escaping (RecordZone.ID) -> RecordZone.ID
    ) throws(CabinetError) {
        let type = try node.required("operationType")
        let subscription = try node.required("subscription").object()
        switch try type.string() {
        case "create":
            self = .create(try CloudKitSubscription.read(subscription, fields: fields, mapZone: mapZone))
        case "update":
            guard subscription.has("subscriptionID") else { throw subscription.missing("subscriptionID") }
            self = .update(try CloudKitSubscription.read(subscription, fields: fields, mapZone: mapZone))
        case "delete": self = .delete(try subscription.required("subscriptionID").string())
        default: throw type.error(expected: "create, update or delete")
        }
    }
}

extension QuerySubscription.Options {
    /// The changes that fire, without how often.
    fileprivate var firings: Self { subtracting(.firesOnce) }
}
