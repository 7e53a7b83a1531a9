public import Cabinet

extension CloudKitRequestHandler {
    /// Fetches subscriptions, with `subscriptions/list` or `subscriptions/lookup`.
    public func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        guard let ids = request.subscriptionIDs else {
            let root = try await send(.subscriptionsList, to: request.scope, items: "subscriptions") { _ in }
            return .init(
                try root.required("subscriptions").array { item throws(CabinetError) in
                    try result(item, in: request.scope)
                })
        }
        var results: [Result<Subscription, CabinetError>] = []
        for part in ids.parts(of: CloudKitEndpoint.maximumCount) {
            let root = try await send(.subscriptionsLookup, to: request.scope, items: "subscriptions") {
                writer throws(CabinetError) in
                try writer.member("subscriptions", Array(part)) { writer, id throws(CabinetError) in
                    try writer.object { writer in writer.member("subscriptionID", id) }
                }
            }
            for item in try Self.items(root, "subscriptions", count: part.count) {
                results.append(try result(item, in: request.scope))
            }
        }
        return .init(results)
    }

    /// Saves and deletes subscriptions, with `subscriptions/modify`.
    public func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        let subscriptions = request.subscriptionsToSave.map(ownerRule.canonical)
        let changes = subscriptions.map(Change.create) + request.subscriptionIDsToDelete.map(Change.delete)
        let results = try await modify(changes, request.scope)
        var saves: [Result<Subscription, CabinetError>] = []
        for (result, wanted) in zip(results, subscriptions) {
            saves.append(result.flatMap { $0.map(Result.success) ?? .failure(Self.leftOut) })
            // To create a subscription whose ID exists returns the existing one.
            guard case .success(let existing?) = result, existing != wanted else { continue }
            do {
                let updated = try await modify([.update(wanted)], request.scope)
                saves[saves.count - 1] = updated[0].flatMap { $0.map(Result.success) ?? .failure(Self.leftOut) }
            } catch let error as CabinetError {
                saves[saves.count - 1] = .failure(error)
            }
        }
        return .init(
            saves,
            results.dropFirst(subscriptions.count).map { if case .failure(let error) = $0 { error } else { nil } })
    }

    private static let leftOut = CabinetError(.internalError, "The server left the subscription out.")

    private enum Change {
        case create(Subscription)
        case update(Subscription)
        case delete(Subscription.ID)
    }

    /// Sends changes; a deletion that succeeded has no subscription.
    private func modify(
        _ changes: [Change], _ scope: DatabaseScope
    ) async throws -> [Result<Subscription?, CabinetError>] {
        var results: [Result<Subscription?, CabinetError>] = []
        do {
            for part in changes.parts(of: CloudKitEndpoint.maximumCount) {
                let root = try await send(.subscriptionsModify, to: scope, items: "subscriptions") {
                    writer throws(CabinetError) in
                    try writer.member("operations", Array(part)) { writer, change throws(CabinetError) in
                        try writer.object { writer throws(CabinetError) in try write(change, to: &writer) }
                    }
                }
                for (item, change) in zip(try Self.items(root, "subscriptions", count: part.count), part) {
                    if case .delete = change {
                        results.append(try CloudKitFailure.read(item).map(Result.failure) ?? .success(nil))
                    } else {
                        results.append(try result(item, in: scope).map(Optional.some))
                    }
                }
            }
        } catch let error as CabinetError where !results.isEmpty {
            // The server has made the changes of the earlier requests.
            results += Array(repeating: .failure(error), count: changes.count - results.count)
        }
        return results
    }

    private func write(_ change: Change, to writer: inout JSONWriter) throws(CabinetError) {
        let (type, subscription): (String, Subscription?) =
            switch change {
            case .create(let subscription): ("create", subscription)
            case .update(let subscription): ("update", subscription)
            case .delete: ("delete", nil)
            }
        writer.member("operationType", type)
        writer.key("subscription")
        if let subscription {
            try CloudKitSubscription.write(subscription, by: values, to: &writer)
        } else if case .delete(let id) = change {
            try writer.object { writer in writer.member("subscriptionID", id) }
        }
    }

    private func result(
        _ node: JSONNode, in scope: DatabaseScope
    ) throws(CabinetError) -> Result<Subscription, CabinetError> {
        if let error = try CloudKitFailure.read(node) { return .failure(error) }
        return .success(try CloudKitSubscription.read(node, fields: [:], mapZone: reader(nil, in: scope).zone))
    }
}
