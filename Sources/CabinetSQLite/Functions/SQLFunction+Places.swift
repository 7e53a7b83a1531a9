import Cabinet

/// Functions for locations, which are stored as JSON.
extension SQLFunction {
    static let places = [
        // cabinet_distance(location, latitude, longitude), in meters
        SQLFunction("cabinet_distance", 3) { arguments in
            guard let place = try place(arguments, 0), let latitude = degrees(arguments, 1),
                let longitude = degrees(arguments, 2)
            else { return nil }
            return .double(place.distance(to: Location(latitude: latitude, longitude: longitude)))
        },
        // cabinet_distance(location, location), in meters
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

    /// Returns the number after a key in Cabinet's own format, many times faster than a JSON parser.
    private static func number(of key: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let begin = end(of: key, in: text) else { return nil }
        let end = text[begin...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? text.count
        return Double(String(decoding: text[begin..<end], as: UTF8.self))
    }

    /// Returns the position after the first occurrence of a part.
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
        CabinetError(
            .internalError, "A location field contains an invalid value. Undo the change that was made by hand.")
    }
}
