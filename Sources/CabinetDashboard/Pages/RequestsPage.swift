import CabinetServer
import Foundation

/// The last requests of the dashboard.
enum RequestsPage {
    /// The path of a request, which may be broken after each part, without the user, who has a column.
    private static func path(of entry: RequestLog.Entry) -> HTML {
        let path = entry.user.map { entry.path.replacing("~\($0)", with: "") } ?? entry.path
        return path.shown(100).split(separator: "/", omittingEmptySubsequences: false).map { part -> HTML in
            "\(String(part))"
        }.joined(by: "/<wbr>")
    }

    static func page(_ entries: [RequestLog.Entry]) -> Page {
        let rows = entries.map { entry -> HTML in
            """
            <tr><td>\(entry.date.html)</td><td>\(entry.method)</td><td>\(path(of: entry))</td><td><span class="line user">\((entry.user ?? "").shown(40))</span></td>\
            <td class="number">\(entry.status)</td><td class="number">\(entry.microseconds.grouped)</td><td>\((entry.error ?? "").shown(100))</td></tr>
            """
        }
        return Page(
            title: "Requests",
            main: """
                <h1>Requests</h1><p class="status">The last \(RequestLog.maximumCount) of this dashboard, without what was typed.</p>
                <div class="scroll wide"><table><caption class="hidden">Requests</caption><thead><tr><th scope="col">When\(HTML.utc)</th><th scope="col">Method</th>\
                <th scope="col">Page</th><th scope="col">As</th><th scope="col" class="number">Status</th><th scope="col" class="number">µs</th>\
                <th scope="col">Error</th></tr></thead><tbody>\(rows)</tbody></table></div>
                """, trail: [("Dashboard", "/dashboard")])
    }
}
