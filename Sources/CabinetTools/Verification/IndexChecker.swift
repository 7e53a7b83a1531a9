import Cabinet

/// Collects, during the scan of a type's records, the records that its indexes must find.
struct IndexChecker {
    /// The approximate number of records per type that are searched for one by one, by their words and locations.
    static let sampleSize = 100
    /// A location, and a distance that exceeds half the Earth's circumference, in metres, so that it includes every
    /// other location.
    static let origin = Location(latitude: 0, longitude: 0)
    static let everywhere = 30_000_000.0
    /// Some indexes truncate longer words.
    private static let longestWord = 1000

    /// Fields by which records are found in order.
    struct Order {
        let index: StoredIndex
        let keys: [Record.FieldKey]
        var values = Fingerprint()
    }

    let type: Record.RecordType
    /// The indexes of sortable fields, without duplicates.
    var orders: [Order] = []
    /// The fields with indexes of locations, and the number of locations in each.
    var locations: [(key: Record.FieldKey, count: Int)] = []
    /// The text fields with an index of words.
    let words: [Record.FieldKey]
    /// Records to search for by a word or a location.
    var samples: [(index: StoredIndex, recordID: RecordID, filter: Filter)] = []
    /// One in this many records becomes a sample.
    var sampleEvery = 1
    private var recordCount = 0
    /// Whether all records were read, with all fields.
    var isComplete = true

    init(type: Record.RecordType, schema: StoredSchema) {
        self.type = type
        let fields = FieldTypes(of: type, in: schema)
        var words: [Record.FieldKey] = []
        var seen: Set<[Record.FieldKey]> = []
        for index in (schema.indexes[type] ?? []).sorted(by: { "\($0)" < "\($1)" }) {
            let keys: [Record.FieldKey]
            switch index {
            case .searchable(let key):
                if fields[key] == .string { words.append(key) }
                continue
            case .queryable(let key) where fields[key] == .location:
                locations.append((key, 0))
                continue
            case .queryable(let key), .sortable(let key): keys = [key]
            case .compound(let several): keys = several
            }
            let isOrder = keys.allSatisfy { (try? Sort($0).validate(fields: fields)) != nil && fields[$0] != nil }
            if isOrder, seen.insert(keys).inserted { orders.append(Order(index: index, keys: keys)) }
        }
        self.words = words
    }

    mutating func add(_ record: StoredRecord) {
        for position in orders.indices {
            orders[position].values.add(IndexEntry(record, orders[position].keys))
        }
        let isSample = recordCount % sampleEvery == 0
        recordCount += 1
        for position in locations.indices {
            let key = locations[position].key
            guard case .location(let location)? = record.fields[key],
                location.distance(to: Self.origin) < Self.everywhere
            else { continue }
            locations[position].count += 1
            if isSample {
                samples.append((.queryable(key), record.recordID, .isNear(location, key: key, metres: 1)))
            }
        }
        guard isSample else { return }
        for key in words {
            guard case .string(let text)? = record.fields[key] else { continue }
            // The longest word is usually the rarest.
            let words = SearchTokens.tokens(in: text).filter { $0.utf8.count <= Self.longestWord }
            guard let word = words.max(by: { $0.utf8.count < $1.utf8.count }) else { continue }
            samples.append((.searchable(key), record.recordID, .text(word)))
        }
    }

    /// Removes the samples of the records that a fetch by ID does not find.
    mutating func removeSamples(besides found: Set<RecordID>, among records: [StoredRecord]) {
        let lost = Set(records.map(\.recordID)).subtracting(found)
        samples.removeAll { lost.contains($0.recordID) }
    }
}

/// The entry of a record in an index.
struct IndexEntry: Hashable {
    let recordID: RecordID
    let values: [FieldValue?]

    init(_ record: StoredRecord, _ keys: [Record.FieldKey]) {
        recordID = record.recordID
        values = keys.map { key in
            if let field = SystemField(rawValue: key) { record[field] } else { record.fields[key] }
        }
    }
}

extension Filter {
    /// Matches the records that have a location within a distance of another.
    static func isNear(_ location: Location, key: Record.FieldKey, metres: Double) -> Filter {
        .comparison(
            Comparison(
                .distance(.field(key), .constant(.location(location))), .lessThan, .constant(.double(metres))))
    }
}
