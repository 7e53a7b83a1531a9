import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The sizes of a store, how the dashboard's requests went, and a verification on request.
enum HealthPage {
    /// The number of databases, and of assets of one, that are counted.
    private static let (maximumDatabases, maximumAssets) = (100, 100_000)
    private static let timeToCount = Duration.seconds(2)

    static func answer(_ visit: Visit) async throws -> Answer {
        guard let storage = visit.store.storage else { return .page(try await RemoteHealth.page(visit)) }
        var report: HTML?
        if visit.form != nil {
            let container = try Container(
                identifier: visit.store.identifier, backend: storage, account: visit.store.account)
            let result = try await container.verify()
            let advice = result.advice(afterRepair: false)
            let kind: HTML = result.isClean ? "message good" : "message"
            report = """
                <h2>Verification</h2><pre class="\(kind)" role="status">\("\(result)".shown(8_000))</pre>
                \(advice.map { "<p>\($0)</p>" as HTML } ?? .empty)
                """
        }
        let main: HTML = """
            <h1>Health</h1>\(report)
            <form method="post" action="\(visit.place.link("health"))">\(visit.proof)
            <p><button>Verify the store</button> <small>reads everything once, and changes nothing</small></p></form>
            <h2>Sizes</h2>\(try await sizes(of: storage))
            \(try await MirrorPart(visit)?.html(visit.place))
            <h2>Requests of the dashboard</h2>\(requests(visit.log.latest))
            """
        return .page(Page(title: "Health", main: main))
    }

    private static func sizes(of storage: any StorageBackend) async throws -> HTML {
        guard let listing = storage.abilities.databases else {
            return "<p class=\"none\">This store does not list its databases.</p>"
        }
        let databases = try await listing.databases().sorted { $0.description < $1.description }
        let start = ContinuousClock.now
        var rows: [HTML] = []
        for database in databases.prefix(maximumDatabases) {
            let isLate = start.duration(to: .now) > timeToCount
            let assets = isLate ? nil : try await assets(of: database, in: storage)
            rows.append(
                """
                <tr><th scope="row">\("\(database)".shown(80))</th><td class="number">\(assets.map { $0.count.grouped } ?? "…")</td>\
                <td class="number">\(assets.map { $0.bytes.grouped } ?? "…")</td></tr>
                """)
        }
        let rest = databases.count - rows.count
        return """
            <div class="scroll"><table><caption class="hidden">Databases</caption><thead><tr><th scope="col">Database</th>\
            <th scope="col" class="number">Assets</th><th scope="col" class="number">Bytes of assets</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>\(rest > 0 ? "<p class=\"none\">… and \(rest.counted("database")) more</p>" as HTML : .empty)
            """
    }

    private static func assets(
        of database: DatabaseKey, in storage: any StorageBackend
    ) async throws -> (count: Int, bytes: Int) {
        try await storage.read(database) { snapshot in
            var (count, bytes, last) = (0, 0, nil as Asset.Checksum?)
            guard let stored = snapshot.abilities.assets else { return (count, bytes) }
            while count < maximumAssets {
                let page = try await stored.assets(after: last, limit: 1_000)
                count += page.count
                // A damaged row may have any size.
                bytes = page.reduce(bytes) { $0 &+ Int(clamping: $1.size) }
                last = page.last?.checksum
                if page.count < 1_000 { break }
            }
            return (count, bytes)
        }
    }

    static func requests(_ entries: [RequestLog.Entry]) -> HTML {
        let times = entries.map(\.microseconds).sorted()
        guard let slowest = times.last else { return "<p class=\"none\">None yet.</p>" }
        let failures = entries.count { $0.status >= 500 }
        return """
            <dl><dt>Requests</dt><dd>\(entries.count.grouped) of the last \(RequestLog.maximumCount.grouped)</dd>\
            <dt>Median</dt><dd>\(times[times.count / 2].grouped) µs</dd><dt>Slowest</dt><dd>\(slowest.grouped) µs</dd>\
            <dt>Failures</dt><dd>\(failures.grouped) <a href="/dashboard/requests">Requests</a></dd></dl>
            """
    }
}
