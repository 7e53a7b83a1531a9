import Cabinet
import CabinetServer
import CabinetTools

/// The choice of records in an address: a type, a zone, a filter, an order and columns.
struct RecordChoice {
    let place: Place
    let type: String
    let zoneID: RecordZone.ID?
    let filter: String
    let sort: String
    let columns: [String]
    let chosenColumns: String
    /// The field by whose values the records are grouped, and the one that is summed up; empty for none.
    let (group, groupedField): (String, String)
    /// The fields with dates, and those with numbers.
    private let (timestamps, numbers): (Set<String>, Set<String>)
    /// The fields that an exported table has.
    let exportedColumns: [String]
    private let columnFailure: CabinetError?

    /// The number of columns that are shown if the person chooses none.
    private static let shownColumns = 8
    private static let maximumColumns = 50
    /// The number of fields that are suggested, so that a type of a thousand fields has a small page.
    static let suggestedFields = 100

    init(_ visit: Visit, _ schema: Schema) throws {
        guard let type = visit["type"] else { throw HTTPError(.badRequest, "The address names no record type.") }
        guard schema.recordTypes[type] != nil else {
            throw HTTPError(.notFound, "This database has no records of the type '\(type)'.")
        }
        place = visit.place
        self.type = type
        zoneID = visit["zone"].map { _ in visit.zoneID }
        filter = visit["filter"] ?? ""
        sort = visit["sort"] ?? ""
        chosenColumns = visit["columns"] ?? ""
        (group, groupedField) = (visit["group"] ?? "", visit["of"] ?? "")
        timestamps = Set(schema[type].fields.filter { $0.value.type.scalar == .timestamp }.keys)
            .union([SystemField.modificationDate.rawValue])
        numbers = Set(schema[type].fields.filter { [.int64, .double].contains($0.value.type) }.keys)
        let known = schema[type].columns
        let chosen = chosenColumns.names
        columnFailure = chosen.first { schema[type].fields[$0] == nil }.map { key in
            let advice = schema[type].fields.keys.nearest(to: key).map { " Did you mean '\($0)'?" } ?? ""
            return CabinetError(
                .invalidArguments, "\(type) has no field '\(key)' for a column.\(advice)", fieldKey: key)
        }
        let exported = chosen.isEmpty ? schema[type].shownFields.map(\.0) : chosen
        exportedColumns = exported.filter { SystemField(rawValue: $0) == nil }
        columns = chosen.isEmpty ? Array(known.prefix(Self.shownColumns)) : Array(chosen.prefix(Self.maximumColumns))
    }

    /// The query; throws the mistake in the filter or in the columns.
    func query() throws -> Query {
        if let columnFailure { throw columnFailure }
        return Query(
            recordType: type, filter: filter.isEmpty ? .constant(true) : try Filter(filter), sortedBy: Sort.list(sort))
    }

    /// Returns the address of these records, or of those of another page.
    func link(
        page: String = "records", after cursor: String? = nil, sortedBy key: String? = nil, with flag: String? = nil
    ) -> String {
        let order = key.map { $0 == sort ? "-\($0)" : $0 } ?? sort
        return place.link(
            page,
            [
                "type": type, "zone": zoneID?.zoneName, "owner": Place.owner(zoneID), "filter": filter,
                "sort": order, "columns": chosenColumns, "group": page == "records" ? group : nil,
                "of": page == "records" ? groupedField : nil, "after": cursor, "plan": flag == "plan" ? "1" : nil,
                "count": flag == "count" ? "1" : nil, "format": flag == "csv" || flag == "json" ? flag : nil,
            ])
    }

    /// Returns the address of those of these records that match a further filter.
    ///
    /// - Parameters:
    ///   - other: The filter.
    ///   - keepsGroups: Whether they are grouped as these are.
    func link(adding other: String, keepsGroups: Bool = false) -> String {
        let both = filter.isEmpty ? other : "(\(filter)) AND \(other)"
        return place.link(
            "records",
            [
                "type": type, "zone": zoneID?.zoneName, "owner": Place.owner(zoneID), "filter": both,
                "sort": sort, "columns": chosenColumns, "group": keepsGroups ? group : nil,
                "of": keepsGroups ? groupedField : nil,
            ])
    }

    /// Returns the hidden fields of a form that leads to these records.
    func hidden(with others: KeyValuePairs<String, String> = [:], keepsGroups: Bool = true) -> [HTML] {
        let own = [("type", type), ("zone", zoneID?.zoneName ?? ""), ("owner", Place.owner(zoneID) ?? "")]
        let groups = keepsGroups ? [("group", group), ("of", groupedField)] : []
        return (own + groups + others.map { ($0.key, $0.value) }).map { name, value in
            value.isEmpty ? .empty : "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
    }

    /// The class of a column with numbers, which are at its end.
    func style(of key: String) -> HTML { numbers.contains(key) ? " class=\"number\"" : .empty }

    /// The mark of a column with dates, and of one by which the records are sorted.
    func mark(of key: String) -> HTML {
        let zone: HTML = timestamps.contains(key) ? .utc : .empty
        if sort == key { return "\(zone)<span aria-label=\"ascending\"> ↑</span>" }
        return sort == "-\(key)" ? "\(zone)<span aria-label=\"descending\"> ↓</span>" : zone
    }

    /// The form of the choice.
    func form(_ schema: Schema) -> HTML {
        let fields = schema[type].shownFields.prefix(Self.suggestedFields).map { key, field -> HTML in
            "<option value=\"\(key)\">\("\(field.type)")</option>"
        }
        // Without the script, they are the beginnings of a filter.
        let words = schema[type].shownFields.prefix(Self.suggestedFields).filter { $0.1.type.scalar != .asset }.map {
            key, field -> HTML in
            "<option value=\"\(key) \(field.type.isList ? "CONTAINS" : "==") \">\("\(field.type)")</option>"
        }
        return """
            <form class="filter" method="get" action="\(place.link("records"))" role="search">\(hidden())
            <label class="wide">Filter <input name="filter" value="\(filter)" spellcheck="false" autocomplete="off" \
            placeholder="year &gt; 1900 AND name CONTAINS 'a'" list="words"></label>
            <label>Sort <input name="sort" value="\(sort)" spellcheck="false" list="fields" placeholder="name,-year"></label>
            <label>Columns <input name="columns" value="\(chosenColumns)" spellcheck="false" list="fields" placeholder="name,year"></label>
            <datalist id="fields">\(fields)</datalist><datalist id="words">\(words)</datalist>
            <button>Show</button></form>
            """
    }
}
