extension TimelinePoint: CodedObject {
    init() {
        self.init(number: 0)
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("number", &number)
        try coder.part("timeline", &timeline)
        try number.checkPosition()
    }
}

extension Int64 {
    /// Refuses a number that no feed has, before anything is computed with it.
    fileprivate func checkPosition() throws(CabinetError) {
        if self < 0 { throw CabinetError(.invalidArguments, "The position \(self) of a feed is negative.") }
    }
}

extension FeedPosition: CodedObject {
    init() {
        self.init(number: 0, tombstoneHorizon: 0, end: TimelinePoint())
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("number", &number)
        try coder.part("horizon", &tombstoneHorizon)
        try coder.part("end", &end)
        try coder.part("readAccess", &readAccess)
        var pairs = zonePairs
        try coder.part("zones", &pairs)
        zonePairs = pairs
        try coder.part("foreignToken", &foreignToken)
        for number in [number, tombstoneHorizon] + (pairs ?? []) { try number.checkPosition() }
    }
}

extension NotificationPosition: CodedObject {
    init() {
        self.init(number: 0, end: TimelinePoint())
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("number", &number)
        try coder.part("end", &end)
        try coder.part("zones", &zones)
        for number in [number] + (zones ?? []) { try number.checkPosition() }
    }
}

extension DatabaseChange.Modification: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        Self(zoneID: try .read(from: &reader))
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) { try zoneID.write(to: &writer) }
}

extension DatabaseChange.Deletion.Reason: Coded {}

extension DatabaseChange.Deletion: Coded {
    private struct Parts: CodedObject {
        var zone = RecordZone.ID.default
        var reason = Reason.deleted

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("zone", &zone)
            try coder.part("reason", &reason)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        let parts = try Parts.read(from: &reader)
        return Self(zoneID: parts.zone, reason: parts.reason)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try Parts(zone: zoneID, reason: reason).write(to: &writer)
    }
}

extension RecordZoneChange.Deletion: Coded {
    private struct Parts: CodedObject {
        var id = RecordID(recordName: "")
        var type = ""

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("id", &id)
            try coder.part("type", &type)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        let parts = try Parts.read(from: &reader)
        return Self(recordID: parts.id, recordType: parts.type)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try Parts(id: recordID, type: recordType).write(to: &writer)
    }
}
