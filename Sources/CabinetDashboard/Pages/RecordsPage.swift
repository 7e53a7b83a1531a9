import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The records of a type: a filter, an order, columns, and a page of a hundred records.
enum RecordsPage {
    static let pageSize = 100

    static func answer(_ visit: Visit) async throws -> Answer {
        let schema = try await visit.database.schema()
        let choice = try RecordChoice(visit, schema)
        var groups: HTML?
        var page: (records: [Record], next: Query.Cursor?) = ([], nil)
        var failure: String?
        var plan: HTML?
        var count: Int?
        do {
            if let address = try FilterBuilder.address(visit, choice, schema) { return .redirect(address) }
            let query = try choice.query()
            try query.validate(against: schema)
            if visit["plan"] != nil {
                plan =
                    "<pre class=\"message plan\">\("\(try await visit.database.explain(query, inZoneWith: choice.zoneID))".shown(4_000))</pre>"
            }
            if visit["count"] != nil {
                count = try await visit.database.count(matching: query, inZoneWith: choice.zoneID)
            }
            if let key = visit["group"] {
                groups = try await GroupsPart.html(by: key, of: visit["of"], query, choice, visit, schema)
            }
            page = try await records(visit, query, choice)
        } catch let error as CabinetError {
            // A mistake in the filter, and one that costs too much, is shown beside it.
            guard [.invalidArguments, .unknownItem, .limitExceeded].contains(error.code) else { throw error }
            failure = error.message
        }
        let table = self.table(visit, page.records, choice)
        let next = page.next.flatMap(\.typed).map { cursor -> HTML in
            let address = choice.link(after: cursor)
            // The address has the last values of the order.
            return address.utf8.count > Place.longestLink
                ? "<span class=\"none\">More records follow, but the text that they are sorted by is too long for an address. Sort by another field, or add a condition.</span>"
                : "<a class=\"button\" href=\"\(address)\">Next \(pageSize)</a>"
        }
        let first: HTML? = visit["after"] == nil ? nil : "<a class=\"button\" href=\"\(choice.link())\">First page</a>"
        let shown =
            count.map { $0.counted("record") }
            ?? (page.records.count.counted("record") + (page.next == nil && first == nil ? "" : " on this page"))
        let status: HTML = """
            <p class="status">\(shown) <a href="\(choice.link(with: "count"))">Count</a> <a href="\(choice.link(with: "plan"))">Plan</a> \
            <a href="\(choice.link(page: "export", with: "csv"))">CSV</a> <a href="\(choice.link(page: "export", with: "json"))">JSON</a></p>
            """
        let main: HTML = """
            <div class="title"><h1>\(choice.type.shown(80))</h1>
            <a class="button main" href="\(choice.place.link("new", ["type": choice.type, "zone": Place.zoneName(choice.zoneID), "owner": Place.owner(choice.zoneID)]))">New record</a></div>
            \(choice.form(schema))\(FilterBuilder.html(choice, schema))
            \(failure.map { "<pre class=\"message\" role=\"alert\" id=\"mistake\">\($0.shown(2_000))</pre>" as HTML })\(plan)\(groups)
            \(failure == nil ? "\(status)\(table)" : .empty)
            <p class="pager">\(first)\(next)</p>
            """
        return .page(
            Page(
                title: choice.type, main: main, trail: [visit.typesTrail],
                events: visit["after"] == nil ? visit.events : nil), failure == nil ? .ok : .badRequest)
    }

    private static func records(
        _ visit: Visit, _ query: Query, _ choice: RecordChoice
    ) async throws -> (records: [Record], next: Query.Cursor?) {
        let keys = choice.columns
        let page: (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?)
        if let text = visit["after"] {
            guard let cursor = Query.Cursor(typed: text) else {
                throw HTTPError(.badRequest, "The address names no page.")
            }
            page = try await visit.database.records(
                continuingMatchFrom: cursor, desiredKeys: keys, resultsLimit: pageSize)
        } else {
            page = try await visit.database.records(
                matching: query, inZoneWith: choice.zoneID, desiredKeys: keys, resultsLimit: pageSize)
        }
        return (try page.matchResults.map { try $0.1.get() }, page.queryCursor)
    }

    private static func table(_ visit: Visit, _ records: [Record], _ choice: RecordChoice) -> HTML {
        if records.isEmpty {
            return
                "<div class=\"empty\"><p>\(choice.filter.isEmpty ? "There are no records of this type." : "No record matches the filter.")</p></div>"
        }
        let titles = choice.columns.map { key -> HTML in
            "<th scope=\"col\"\(choice.style(of: key))><a href=\"\(choice.link(sortedBy: key))\">\(key.shown(40))\(choice.mark(of: key))</a></th>"
        }
        let rows = records.map { record -> HTML in
            let cells = choice.columns.map { key -> HTML in
                "<td>\(record.fields[key]?.cell(in: choice.place))</td>"
            }
            return """
                <tr><th scope="row"><a href="\(choice.place.link(to: record.recordID))">\(record.recordID.recordName.shown(40))</a></th>\
                \(cells)<td>\(record.modificationDate?.html)</td></tr>

                """
        }
        return """
            <div class="scroll"><table class="rows"><caption class="hidden">Records of \(choice.type.shown(80))</caption>
            <thead><tr><th scope="col">Record</th>\(titles)<th scope="col"><a href="\(choice.link(sortedBy: "modificationDate"))">\
            Modified\(choice.mark(of: "modificationDate"))</a></th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }
}

extension Query.Cursor {
    /// Reads a cursor from an address; `nil` for another text.
    init?(typed text: String) {
        guard let bytes = URLBase64.decode(text), let cursor = try? JSONDecoder().decode(Self.self, from: Data(bytes))
        else { return nil }
        self = cursor
    }

    /// The cursor as a part of an address.
    var typed: String? { (try? JSONEncoder().encode(self)).map { URLBase64.encode(Array($0)) } }
}
