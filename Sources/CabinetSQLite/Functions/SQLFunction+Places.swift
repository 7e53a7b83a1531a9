import Cabinet

/// Functions about places, which are stored as JSON.
extension SQLFunction {
    static let places = [
        // cabinet_distance(place, latitude, longitude), in metres.
        SQLFunction("cabinet_distance", 3) { arguments in
            guard let place = try place(arguments, 0), let latitude = degrees(arguments, 1),
                let longitude = degrees(arguments, 2)
            else { return nil }
            return .double(place.distance(to: Location(latitude: latitude, longitude: longitude)))
        },
        // cabinet_distance(place, place), in metres.
        SQLFunction("cabinet_distance", 2) { arguments in
            guard let place = try place(arguments, 0), let other = try Self.place(arguments, 1) else { return nil }
            return .double(place.distance(to: other))
        },
    ]

    private static func degrees(_ arguments: SQLArguments, _ index: Int) -> Double? {
        switch arguments.number(index) {
        case .double(let number): number
        case .int64(let number): Double(number)
        default: nil
        }
    }

    private static func place(_ arguments: SQLArguments, _ index: Int) throws -> Location? {
        if arguments.isNull(index) { return nil }
        guard let text = arguments.bytes(index) else { throw damaged }
        if let latitude = number(of: latitudeKey, in: text), let longitude = number(of: longitudeKey, in: text) {
            return Location(latitude: latitude, longitude: longitude)
        }
        guard let place = try? ListCoding.location(from: text) else { throw damaged }
        return place
    }

    private static let latitudeKey = Array(#""latitude":"#.utf8)
    private static let longitudeKey = Array(#""longitude":"#.utf8)

    /// The number after a key, if the JSON is as Cabinet writes it; decoding it as JSON takes many times as long.
    private static func number(of key: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let begin = end(of: key, in: text) else { return nil }
        let end = text[begin...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? text.count
        return Double(String(decoding: text[begin..<end], as: UTF8.self))
    }

    /// Where bytes end that occur in others.
    private static func end(of part: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Int? {
        var start = 0
        while start + part.count <= text.count {
            let end = start + part.count
            if text[start..<end].elementsEqual(part) { return end }
            start += 1
        }
        return nil
    }

    private static var damaged: CabinetError {
        CabinetError(.internalError, "A field of places holds something else. Undo what was changed by hand.")
    }
}
