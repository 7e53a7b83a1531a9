import Cabinet
import CabinetServer

/// The user's subscriptions in a database.
enum SubscriptionsPage {
    static func answer(_ visit: Visit) async throws -> Answer {
        let subscriptions = try await visit.database.allSubscriptions().sorted { $0.subscriptionID < $1.subscriptionID }
        let rows = subscriptions.map { subscription -> HTML in
            let type = SubscriptionRule.recordType(of: subscription)
            let filter: String? = if case .query(let query) = subscription { "\(query.filter)" } else { nil }
            return """
                <tr><th scope="row">\(subscription.subscriptionID.shown(80))</th><td>\("\(subscription.subscriptionType)")</td>\
                <td>\((type ?? "").shown(60))</td><td><code>\((filter ?? "").shown(200))</code></td></tr>
                """
        }
        let main: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>This user has no subscriptions in this database. Programs create them.</p></div>"
            : """
            <div class="scroll"><table><caption class="hidden">Subscriptions</caption><thead><tr><th scope="col">Subscription</th>\
            <th scope="col">Kind</th><th scope="col">Type</th><th scope="col">Filter</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
        return .page(Page(title: "Subscriptions", main: "<h1>Subscriptions</h1>\(main)", events: visit.events))
    }
}
