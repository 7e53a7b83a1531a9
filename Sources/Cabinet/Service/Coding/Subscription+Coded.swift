import Foundation

extension Subscription: Coded {
    private struct Parts: CodedObject {
        var kind = SubscriptionType.query
        var id = ""
        var recordType: Record.RecordType?
        var filter: Filter?
        var zone: RecordZone.ID?
        var options: Int?
        var desiredKeys: [Record.FieldKey]?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("kind", &kind)
            try coder.part("id", &id)
            try coder.part("recordType", &recordType)
            try coder.part("filter", &filter)
            try coder.part("zone", &zone)
            try coder.part("options", &options)
            try coder.part("desiredKeys", &desiredKeys)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Subscription {
        let parts = try Parts.read(from: &reader)
        let hasQuery = parts.filter != nil || parts.options != nil || parts.desiredKeys != nil
        guard parts.kind == .query || !hasQuery, parts.kind != .database || parts.zone == nil else {
            throw reader.unexpected("a subscription with the parts of its kind before here")
        }
        switch parts.kind {
        case .query:
            guard let recordType = parts.recordType, let options = UInt(exactly: parts.options ?? 0) else {
                throw reader.unexpected("a query subscription")
            }
            return .query(
                QuerySubscription(
                    recordType: recordType, filter: parts.filter ?? .constant(true), subscriptionID: parts.id,
                    zoneID: parts.zone, options: QuerySubscription.Options(rawValue: options),
                    desiredKeys: parts.desiredKeys ?? []))
        case .recordZone:
            guard let zone = parts.zone else { throw reader.unexpected("a zone's subscription") }
            return .recordZone(
                RecordZoneSubscription(zoneID: zone, subscriptionID: parts.id, recordType: parts.recordType))
        case .database:
            return .database(DatabaseSubscription(subscriptionID: parts.id, recordType: parts.recordType))
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        var parts = Parts(kind: subscriptionType, id: subscriptionID)
        switch self {
        case .query(let query):
            parts.recordType = query.recordType
            parts.filter = query.filter == .constant(true) ? nil : query.filter
            parts.zone = query.zoneID
            parts.options = Int(truncatingIfNeeded: query.querySubscriptionOptions.rawValue)
            parts.desiredKeys = query.desiredKeys.isEmpty ? nil : query.desiredKeys
        case .recordZone(let subscription):
            (parts.recordType, parts.zone) = (subscription.recordType, subscription.zoneID)
        case .database(let subscription):
            parts.recordType = subscription.recordType
        }
        try parts.write(to: &writer)
    }
}

extension Subscription.SubscriptionType: Coded {}

extension StoredNotification: Coded {
    private struct Parts: CodedObject {
        var number: Int64 = 0
        var date = Date.distantPast
        var user = ""
        var device = ""
        var subscription = ""
        var event = SubscriptionNotification.Event.database

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("number", &number)
            try coder.part("date", &date)
            try coder.part("user", &user)
            try coder.part("device", &device)
            try coder.part("subscription", &subscription)
            try coder.part("event", &event)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> StoredNotification {
        let parts = try Parts.read(from: &reader)
        return StoredNotification(
            userName: parts.user, sequenceNumber: parts.number, date: parts.date, deviceID: parts.device,
            subscriptionID: parts.subscription, event: parts.event)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try Parts(
            number: sequenceNumber, date: date, user: userName, device: deviceID, subscription: subscriptionID,
            event: event
        ).write(to: &writer)
    }
}

extension SubscriptionNotification.Event: Coded {
    private struct Parts: CodedObject {
        var record: RecordID?
        var reason: SubscriptionNotification.Reason?
        var transition: SubscriptionNotification.Transition?
        var fields: FieldValues?
        var zone: RecordZone.ID?
        var code: Int?
        var message: String?
        var isMany: Bool?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("record", &record)
            try coder.part("reason", &reason)
            try coder.part("transition", &transition)
            try coder.part("fields", &fields)
            try coder.part("zone", &zone)
            try coder.part("code", &code)
            try coder.part("message", &message)
            try coder.part("isMany", &isMany)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        let parts = try Parts.read(from: &reader)
        let kinds = [parts.isMany == true, parts.code != nil, parts.zone != nil, parts.reason != nil]
        guard kinds.count(where: { $0 }) <= 1 else { throw reader.unexpected("an event of one kind before here") }
        if parts.isMany == true { return .manyChanges }
        if let code = parts.code {
            return .failure(.init(recordID: parts.record, code: .init(rawValue: code), message: parts.message ?? ""))
        }
        if let zone = parts.zone { return .recordZone(zone) }
        guard let record = parts.record else { return .database }
        guard let reason = parts.reason, let transition = parts.transition else {
            throw reader.unexpected("an event with its reason and transition")
        }
        var fields: [Record.FieldKey: FieldValue] = [:]
        parts.fields?.forEach { fields[$0] = $1 }
        return .query(.init(recordID: record, reason: reason, transition: transition, recordFields: fields))
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        var parts = Parts()
        switch self {
        case .query(let event):
            (parts.record, parts.reason, parts.transition) = (event.recordID, event.reason, event.transition)
            let names = event.recordFields.keys.sorted()
            if !names.isEmpty {
                parts.fields = FieldValues(names: FieldNames(names), values: names.map { event.recordFields[$0] })
            }
        case .recordZone(let zone): parts.zone = zone
        case .database: break
        case .manyChanges: parts.isMany = true
        case .failure(let event):
            (parts.record, parts.code, parts.message) = (event.recordID, event.code.rawValue, event.message)
        }
        try parts.write(to: &writer)
    }
}

extension SubscriptionNotification.Reason: Coded {}

extension SubscriptionNotification.Transition: Coded {}
