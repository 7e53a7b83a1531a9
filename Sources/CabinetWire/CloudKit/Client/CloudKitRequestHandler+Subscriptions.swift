public import Cabinet

extension CloudKitRequestHandler {
    /// Fetches subscriptions, with `subscriptions/list` or `subscriptions/lookup`.
    public func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        guard let ids = request.subscriptionIDs else {
            let root = try await send(.subscriptionsList, to: request.scope, items: "subscriptions") { _ in }
            return .init(
                try root.required("subscriptions").array { item throws(CabinetError) in .success(try read(item)) })
        }
        var results: [Result<Subscription, CabinetError>] = []
        for part in Self.parts(of: ids) {
            let root = try await send(.subscriptionsLookup, to: request.scope, items: "subscriptions") {
                writer throws(CabinetError) in
                try writer.member("subscriptions", Array(part)) { writer, id throws(CabinetError) in
                    try writer.object { writer in writer.member("subscriptionID", id) }
                }
            }
            for item in try Self.items(root, "subscriptions", count: part.count) { results.append(try result(item)) }
        }
        return .init(results)
    }

    /// Saves and deletes subscriptions, with `subscriptions/modify`.
    public func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        var saves: [Result<Subscription, CabinetError>] = []
        for part in Self.parts(of: request.subscriptionsToSave) {
            let root = try await modify(request.scope, "create", Array(part)) {
                writer, subscription throws(CabinetError) in
                try CloudKitSubscription.write(subscription, by: values, to: &writer)
            }
            for item in try Self.items(root, "subscriptions", count: part.count) { saves.append(try result(item)) }
        }
        var errors: [CabinetError?] = []
        for part in Self.parts(of: request.subscriptionIDsToDelete) {
            let root = try await modify(request.scope, "delete", Array(part)) { writer, id throws(CabinetError) in
                try writer.object { writer in writer.member("subscriptionID", id) }
            }
            for item in try Self.items(root, "subscriptions", count: part.count) {
                errors.append(try CloudKitFailure.read(item))
            }
        }
        return .init(saves, errors)
    }

    private func modify<Element>(
        _ scope: DatabaseScope, _ type: String, _ list: [Element],
        _ body: (inout JSONWriter, Element) throws(CabinetError) -> Void
    ) async throws -> JSONNode {
        try await send(.subscriptionsModify, to: scope, items: "subscriptions") { writer throws(CabinetError) in
            try writer.member("operations", list) { writer, element throws(CabinetError) in
                try writer.object { writer throws(CabinetError) in
                    writer.member("operationType", type)
                    writer.key("subscription")
                    try body(&writer, element)
                }
            }
        }
    }

    private func result(_ node: JSONNode) throws(CabinetError) -> Result<Subscription, CabinetError> {
        if let error = try CloudKitFailure.read(node) { return .failure(error) }
        return .success(try read(node))
    }

    private func read(_ node: JSONNode) throws(CabinetError) -> Subscription {
        let reader = reader(nil)
        switch try CloudKitSubscription.read(node, fields: [:]) {
        case .query(var query):
            query.zoneID = query.zoneID.map(reader.zone)
            return .query(query)
        case .recordZone(let zone):
            return .recordZone(
                RecordZoneSubscription(
                    zoneID: reader.zone(zone.zoneID), subscriptionID: zone.subscriptionID, recordType: zone.recordType))
        case let other: return other
        }
    }
}
