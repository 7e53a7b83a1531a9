import Cabinet
import CloudKit
import Foundation

extension ICloudRequestHandler {
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        let database = try database(request.scope)
        let reader = SubscriptionReader(user: user)
        guard let ids = request.subscriptionIDs else {
            let all = try await database.allSubscriptions().filter { $0.subscriptionID != ICloudSignals.subscriptionID }
            return .init(all.sorted { $0.subscriptionID < $1.subscriptionID }.map(reader.result))
        }
        let found = try await database.subscriptions(for: ids)
        return .init(ids.map { result(of: $0, in: found, reader.read) })
    }

    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        let database = try database(request.scope, toWrite: true)
        let writer = SubscriptionWriter(queries: QueryWriter(user: user))
        var refused: [Subscription.ID: CabinetError] = [:]
        var objects: [CKSubscription] = []
        for subscription in request.subscriptionsToSave {
            do throws(CabinetError) {
                objects.append(try writer.object(subscription))
            } catch {
                refused[subscription.subscriptionID] = error
            }
        }
        let results = try await database.modifySubscriptions(
            saving: objects, deleting: request.subscriptionIDsToDelete)
        return .init(
            request.subscriptionsToSave.map { subscription in
                let id = subscription.subscriptionID
                return refused[id].map(Result.failure) ?? result(of: id, in: results.saveResults) { _ in subscription }
            },
            request.subscriptionIDsToDelete.map { result(of: $0, in: results.deleteResults) { $0 }.failure })
    }
}
