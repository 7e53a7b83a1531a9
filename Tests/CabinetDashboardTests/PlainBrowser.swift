import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

/// A form of a page, as a browser without scripts reads it.
struct PageForm: Sendable {
    struct Button: Sendable {
        let (name, value, text): (String, String, String)
    }

    let (action, method, isMultipart): (String, String, Bool)
    /// The names and values that the page gives, in their order.
    let fields: [(name: String, value: String)]
    private let hidden: Set<String>
    let files: Set<String>
    let buttons: [Button]

    /// Reads the forms of a page.
    static func all(in page: String) -> [PageForm] {
        page.matches(of: #/(?s)<form([^>]*)>(.*?)<\/form>/#).map { PageForm(attributes(of: $0.1), String($0.2)) }
    }

    private init(_ attributes: [String: String], _ content: String) {
        (action, method) = (attributes["action"] ?? "", attributes["method"] ?? "get")
        isMultipart = attributes["enctype"] == "multipart/form-data"
        var (fields, files, hidden): ([(String, String)], Set<String>, Set<String>) = ([], [], [])
        let controls = #/(?s)<(input)([^>]*)>|<(textarea)([^>]*)>\n?(.*?)<\/textarea>|<(select)([^>]*)>(.*?)<\/select>/#
        for match in content.matches(of: controls) {
            let attributes = Self.attributes(of: match.2 ?? match.4 ?? match.7 ?? "")
            guard let name = attributes["name"] else { continue }
            if attributes["type"] == "hidden" { hidden.insert(name) }
            if attributes["type"] == "file" {
                files.insert(name)
            } else if attributes["type"] != "checkbox" || attributes["checked"] != nil {
                let option = match.8.flatMap { $0.firstMatch(of: #/<option value="([^"]*)"/#)?.1 }
                fields.append((name, attributes["value"] ?? String(match.5 ?? option ?? "").unescaped))
            }
        }
        self.fields = fields
        self.files = files
        self.hidden = hidden
        buttons = content.matches(of: #/(?s)<button([^>]*)>(.*?)<\/button>/#).map { match in
            let attributes = Self.attributes(of: match.1)
            return Button(
                name: attributes["name"] ?? "", value: attributes["value"] ?? "", text: String(match.2).unescaped)
        }
    }

    private static func attributes(of text: Substring) -> [String: String] {
        Dictionary(
            text.matches(of: #/([a-z:-]+)(?:="([^"]*)")?/#).map { (String($0.1), String($0.2 ?? "").unescaped) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The action of the form, without the record, field or zone that it is of.
    func name(of button: Button) -> String {
        let page = action.prefix { $0 != "?" }.split(separator: "/").last ?? ""
        // The hidden fields of a choice say where the person is, not what the form does.
        let context = method == "get" ? hidden : ["token", "kept"]
        let names = Set(fields.map(\.name) + files).subtracting(context).map { name in
            name.prefix { $0 != "." && $0 != ":" }
        }
        return "\(page): \(Set(names).sorted().joined(separator: " ")) [\(button.name) \(button.value)]"
    }
}

extension String {
    /// The text of markup with entities.
    fileprivate var unescaped: String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(self) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}

/// A browser that runs no script: it follows links, sends forms as pages give them, and remembers which it has seen and sent.
final class PlainBrowser {
    let visitor: DashboardVisitor
    private var cookie = ""
    private(set) var address = ""
    private(set) var text = ""
    private(set) var status = 0
    private(set) var (seen, sent): (Set<String>, Set<String>) = ([], [])

    init(_ visitor: DashboardVisitor) { self.visitor = visitor }

    /// Creates a browser with a session of its own.
    convenience init(signedInTo visitor: DashboardVisitor) async throws {
        self.init(visitor)
        try await open(visitor.dashboard.makeSignInPath())
        try await press("Open the dashboard")
    }

    /// Opens an address.
    func open(_ address: String) async throws {
        try await take(try await visitor.send(.get, address, cookie: cookie), of: address)
    }

    /// Presses a button of the page, after typing and choosing files.
    ///
    /// - Parameters:
    ///   - button: The beginning of its text. The first form counts that has it and the fields.
    ///   - typed: The fields that are typed; all others are sent as the page has them.
    ///   - files: The chosen files, by field.
    func press(
        _ button: String, _ typed: [String: String] = [:], files: [String: (name: String, bytes: String)] = [:]
    ) async throws {
        let names = Set(typed.keys)
        let form = try #require(
            PageForm.all(in: text).first { form in
                form.buttons.contains { $0.text.hasPrefix(button) } && names.isSubset(of: form.fields.map(\.name))
                    && form.files.isSuperset(of: files.keys)
            }, "The page \(address) has no form with '\(button)' and \(names).")
        let pressed = try #require(form.buttons.first { $0.text.hasPrefix(button) })
        sent.insert(form.name(of: pressed))
        var fields = form.fields.map { ($0.name, typed[$0.name] ?? $0.value) }
        if !pressed.name.isEmpty { fields.append((pressed.name, pressed.value)) }
        let action = form.action
        if form.method == "get" {
            let query = Self.encoded(fields)
            return try await open(action.contains("?") ? "\(action)&\(query)" : "\(action)?\(query)")
        }
        guard form.isMultipart else {
            return try await take(
                try await visitor.send(.post, action, body: Self.encoded(fields), cookie: cookie), of: action)
        }
        let head = "--x\r\nContent-Disposition: form-data; name="
        let texts = fields.map { "\(head)\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }
        let parts = form.files.map { name in
            "\(head)\"\(name)\"; filename=\"\(files[name]?.name ?? "")\"\r\n\r\n\(files[name]?.bytes ?? "")\r\n"
        }
        try await take(
            try await visitor.send(
                .post, action, body: (texts + parts).joined() + "--x--\r\n", cookie: cookie,
                type: "multipart/form-data; boundary=x"), of: action)
    }

    /// Opens every page that links lead to.
    func lookAround(from start: String) async throws {
        var (known, next) = (Set([start]), [start])
        while let address = next.popLast(), known.count < 1_000 {
            try await open(address)
            for link in text.matches(of: #/href="(\/dashboard[^"]*)"/#).map({ String($0.1).unescaped })
            where !link.contains("/export?") && !link.contains("/style/") && known.insert(link).inserted {
                next.append(link)
            }
        }
    }

    private static func encoded(_ fields: [(String, String)]) -> String {
        fields.map { "\(DashboardVisitor.escaped($0.0))=\(DashboardVisitor.escaped($0.1))" }.joined(separator: "&")
    }

    /// Shows the answer, or the page that it leads to.
    private func take(_ response: HTTPResponse, of address: String) async throws {
        if let value = response.headerFields[.setCookie] { cookie = String(value.prefix { $0 != ";" }) }
        if let location = response.headerFields[.location] { return try await open(location) }
        (self.address, status) = (address, response.status.code)
        guard response.headerFields[.contentType]?.hasPrefix("text/html") == true else { return }
        text = String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
        for form in PageForm.all(in: text) { seen.formUnion(form.buttons.map(form.name)) }
    }
}
