import Cabinet
import Foundation
import TerminalProgram

/// Formatted values of notes.
extension Note {
    /// The title on one line, or a dash if it is missing.
    var shownTitle: String { title.isEmpty ? "-" : title.printable }

    /// The edited date, in the tutorial's format.
    var shownDate: String { editedDate?.shown ?? "-" }

    /// The picture's width and height.
    var shownDimensions: String { picture?.header?.dimensions ?? "-" }

    /// The picture's size.
    var shownSize: String { picture?.asset.size?.shownAsBytes ?? "-" }

    /// A description of the picture, such as `PNG, 320 × 240, 1.4 kB`.
    var shownPicture: String {
        guard let picture else { return "no picture" }
        guard let header = picture.header else { return "a picture that cannot be read, \(shownSize)" }
        return "\(header.format.rawValue), \(header.dimensions), \(shownSize)"
    }
}

extension Date {
    /// The date in the tutorial's format `MMMM dd, yyyy, hh:mm`, in the user's time zone.
    var shown: String {
        formatted(
            Date.VerbatimFormatStyle(
                format: """
                    \(month: .wide) \(day: .twoDigits), \(year: .padded(4)), \
                    \(hour: .twoDigits(clock: .twelveHour, hourCycle: .oneBased)):\(minute: .twoDigits)
                    """,
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .current,
                calendar: Calendar(identifier: .gregorian)))
    }
}

extension Int64 {
    /// A number of bytes, for display.
    var shownAsBytes: String {
        let units = ["kB", "MB", "GB", "TB"]
        guard self >= 1000 else { return "\(self) bytes" }
        var (value, unit) = (Double(self) / 1000, 0)
        while value >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return String(format: "%.1f ", value) + units[unit]
    }
}
